// The buttons of both areas. One copies text that is shown on the page.

import type { ComponentProps, RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';
import { Live } from './Text.tsx';

/** A button that submits no form, unless its `type` says so. */
export const Button = ({
  icon,
  children,
  ...props
}: ComponentProps<'button'> & { icon?: IconName }) => (
  <button type="button" {...props}>
    {icon && <Icon name={icon} />}
    {typeof children === 'string' ? <Live>{children}</Live> : children}
  </button>
);

interface Props {
  /** The element that shows the text. */
  readonly from: RefObject<HTMLElement | null>;
  /** The accessible name, for pages with several buttons. It begins with the visible text. */
  readonly label?: string;
  readonly style?: string;
  readonly onCopied?: () => void;
  readonly children: string;
}

const COPIED_SHOWN_MS = 4_000;

export function CopyButton({ from, label, style = '', onCopied, children }: Props) {
  const [outcome, setOutcome] = useState('');
  const isCopied = outcome === 'Copied';
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setOutcome(''), COPIED_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy(): Promise<void> {
    if (!from.current) return;
    try {
      await navigator.clipboard.writeText(from.current.textContent);
      setOutcome('Copied');
      onCopied?.();
    } catch {
      getSelection()?.selectAllChildren(from.current);
      setOutcome('The browser did not allow copying. The text is selected, so copy it yourself.');
    }
  }

  return (
    <>
      <Button
        class={style}
        icon={isCopied ? 'success' : 'copy'}
        aria-label={isCopied ? undefined : label}
        onClick={copy}
      >
        {isCopied ? outcome : children}
      </Button>
      <span aria-live="polite" class={isCopied ? 'visually-hidden' : ''}>
        <Live>{outcome}</Live>
      </span>
    </>
  );
}
