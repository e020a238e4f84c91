// What a page says to its user: its heading, notices, and the outcome of the last action.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './buttons.tsx';
import { Icon } from './Icon.tsx';
import type { Loaded } from './requests.ts';
import { Live } from './Text.tsx';

/** A page's heading. It takes the focus when the page replaces another one, for example after sign-in. */
export function PageTitle({ text, children }: { text: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="row apart">
      <h1 ref={heading} tabIndex={-1}>
        {text}
      </h1>
      {children}
    </div>
  );
}

interface NoticeProps {
  readonly title: string;
  readonly kind: 'problem' | 'warning';
  readonly children: ComponentChildren;
}

/** A notice that the user has to read before continuing. */
export const Notice = ({ title, kind, children }: NoticeProps) => (
  <section class={`card notice stack ${kind}`} role="alert" aria-label={title}>
    <h2>
      <Icon name="warning" />
      {title}
    </h2>
    {children}
  </section>
);

export const Loading = () => <p class="empty muted">Loading…</p>;

interface LoadedProps {
  readonly loaded: Loaded<unknown>;
  /** What is not known before the data can be read again. */
  readonly doubt?: string | undefined;
}

/** Says that the data is not loaded yet, or may be out of date. */
export function LoadedState({ loaded: { value, trouble, reload }, doubt }: LoadedProps) {
  if (trouble !== 'unreachable') return value === undefined ? <Loading /> : null;
  return (
    <Notice title="No connection to the database" kind="problem">
      <p>
        <Live>{doubt}</Live>{' '}
        {value !== undefined && <span>The data shown may be out of date. </span>}
        Check your network. This page tries again by itself.
      </p>
      <Button onClick={reload}>Try again</Button>
    </Notice>
  );
}

/** The outcome of an action; empty before the first one. */
export interface Outcome {
  /** Each new value is announced. */
  readonly content?: ComponentChildren;
  /** Whether the user has to do something about it. */
  readonly isWarning?: boolean;
}

/**
 * Shows the outcome of an action. It takes the focus, because the dialog of the action has closed. Screen readers read it
 * then: no live region, because it changes while the dialog hides the page from them.
 */
export function StatusMessage({ content, isWarning }: Outcome) {
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => element.current?.focus(), [content]);
  return (
    content && (
      <p
        key={content}
        ref={element}
        class={isWarning ? 'outcome warning' : 'outcome'}
        tabIndex={-1}
      >
        <Icon name={isWarning ? 'warning' : 'success'} />
        {content}
      </p>
    )
  );
}
