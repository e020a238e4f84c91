// How pages show text. A browser's translator replaces the text nodes of a page, and shows no later change of theirs. A
// changed text therefore gets a new element.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/** Not a style for the first letter, which Orca would read as a word. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** An id, or text that a person or a platform has chosen. It is isolated from the line around it, and never translated. */
export const Name = ({ children }: { readonly children: ComponentChildren }) => (
  <bdi translate={false}>{children}</bdi>
);

/** @param children a text, or elements that are created once for each state. An empty text has no element */
export function Live({ children }: { readonly children: ComponentChildren }) {
  const latest = useRef({ children, serial: 0 });
  if (latest.current.children !== children) {
    latest.current = { children, serial: latest.current.serial + 1 };
  }
  return children ? <span key={latest.current.serial}>{children}</span> : null;
}
