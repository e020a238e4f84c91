// How the page names keys and the people who change them.

import type { StoredKey } from './keyStore.ts';

/** @param actor an admin's uid, the command line's account, or `cli` */
export type NameActor = (actor: string | undefined) => string;

/**
 * @param ownUid the uid of the signed-in admin, who is named "you"
 * @param emails the addresses of all admins by uid; undefined until they are loaded
 */
export const actorNames =
  (ownUid: string | undefined, emails: ReadonlyMap<string, string> | undefined): NameActor =>
  (actor) => {
    if (actor === undefined) return 'unknown';
    if (actor === ownUid) return 'you';
    if (actor === 'cli') return 'the command line';
    return emails?.get(actor) ?? (actor.includes('@') ? actor : `admin ${actor}`);
  };

export const nameProject = ({ project }: StoredKey): string => project ?? '(no project)';

/** Names a key for screen readers. A project may have several. */
export const nameKey = (key: StoredKey): string =>
  `the key of ${nameProject(key)}, ${key.hint === undefined ? key.id : `ending in ${key.hint}`}`;

/** Whether the record has the key's last four characters in a form that can be typed. */
const hasHint = ({ hint = '' }: StoredKey): boolean => /^[!-~]{4}$/.test(hint);

/** What an admin types to confirm that they mean this key, and what it is called. */
export const confirmation = (key: StoredKey): { text: string; name: string } =>
  hasHint(key)
    ? { text: key.hint ?? '', name: 'the last four characters of the key' }
    : { text: key.id, name: 'the id of the key' };
