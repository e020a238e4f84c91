// Who runs the service, as the settings say. The pages do not mention an empty value.

import type { ComponentChild, ComponentChildren } from 'preact';
import { Icon } from './Icon.tsx';
import { Name } from './Text.tsx';

/** Set by the build. */
declare const OPERATOR: { readonly name: string; readonly help: string; readonly privacy: string };

const { name, help, privacy } = OPERATOR;

/** The operator within a sentence. */
export const operator = name || 'the operator of this service';

/** A link to another site. */
export const OutsideLink = ({ to, children }: { to: string; children: ComponentChildren }) => (
  <a href={to}>
    {children}
    <Icon name="outside" />
  </a>
);

/** Whom to ask, with a link if there is one. */
export function Operator(): ComponentChild {
  const text = <bdi translate={name === ''}>{operator}</bdi>;
  return help === '' ? text : <OutsideLink to={help}>{text}</OutsideLink>;
}

/** Says who runs the service, so that people know to whom they give their data. */
export const Footer = () =>
  name + help + privacy !== '' && (
    <footer class="row muted">
      {name !== '' && (
        <span>
          This service is run by <Name>{name}</Name>.
        </span>
      )}
      {help !== '' && <OutsideLink to={help}>Help</OutsideLink>}
      {privacy !== '' && <OutsideLink to={privacy}>Privacy</OutsideLink>}
    </footer>
  );
