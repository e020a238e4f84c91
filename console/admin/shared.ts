// What the parts of the page "PoH API Keys" share, and how they name keys and people.

import { type ComponentChild, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { StoredKey } from '../../records/apiKey.ts';
import type { PageProps } from '../Frame.tsx';
import type { Author } from './keyStore.ts';

declare const SITE: string;
/** The address of the integrators' site, without a slash at its end. Set by the build from the settings. */
export const site = SITE;

export type Task =
  | { readonly kind: 'create'; readonly rotated: StoredKey | undefined }
  | { readonly kind: 'change' | 'revoke'; readonly target: StoredKey };

export interface Shared extends PageProps {
  readonly keys: readonly StoredKey[];
  /** Who makes a change, and when. */
  readonly author: Author;
  /** @param actor an admin's uid, the command line's account, or `cli` */
  readonly nameActor: (actor: string | undefined) => string;
  /** How much a key is used, and of when the figures are if that can be formatted. */
  readonly describeUse: (key: StoredKey, formatTime?: (ms: number) => string) => string;
  /** Whether the admin's sign-in is recent enough to change keys. */
  readonly mayChange: boolean;
  /** The database's time. */
  readonly nowMs: number;
  /** Opens the dialog for a task. */
  readonly begin: (task: Task) => void;
  /** Call it when the database has confirmed a new key, even if its dialog is closed already. */
  readonly onStored: () => void;
  /** Closes the dialog. @param message its outcome, if it may have changed something */
  readonly close: (message?: ComponentChild, isWarning?: boolean) => void;
  /** Closes the dialog, because the database denied its change, and checks the sign-in again. */
  readonly onDenied: () => void;
  /** Describes the failure of a change, and closes the dialog if it was denied. */
  readonly explain: (change: 'changed' | 'revoked') => (error: unknown) => string;
}

// The page provides it to all its parts, so nobody sees the default.
const Context = createContext({} as Shared);
export const SharedProvider = Context.Provider;
export const useShared = (): Shared => useContext(Context);

export const nameProject = ({ project }: StoredKey): string => project ?? '(no project)';

/** Names a key for screen readers. A project may have several. */
export const nameKey = (key: StoredKey): string =>
  `the key of ${nameProject(key)}, ${key.hint === undefined ? key.id : `ending in ${key.hint}`}`;
