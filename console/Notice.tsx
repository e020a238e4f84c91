// A notice that the user has to read before continuing.

import type { ComponentChildren } from 'preact';
import { UNREACHABLE } from './problems.ts';

interface Props {
  readonly title: string;
  readonly kind: 'problem' | 'warning';
  readonly children: ComponentChildren;
}

export const Notice = ({ title, kind, children }: Props) => (
  <section class={`notice ${kind}`} role="alert" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** @param isOutdated whether the page still shows data from an earlier read */
export const Unreachable = ({
  isOutdated,
  onRetry,
}: {
  isOutdated: boolean;
  onRetry: () => void;
}) => (
  <Notice title="No connection to the database" kind="problem">
    <p>
      {isOutdated && 'The data shown may be out of date. '}
      {UNREACHABLE}
    </p>
    <button type="button" onClick={onRetry}>
      Try again
    </button>
  </Notice>
);
