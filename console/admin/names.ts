// How keys and those who change them are named on the page.

import { parseProject } from '../../records/project.ts';
import type { StoredKey } from './keyStore.ts';

/** @param actor an admin's uid, the command line's account, or `cli` */
export type NameActor = (actor: string | undefined) => string;

/**
 * @param ownUid of the admin who looks at the page, who is "you"
 * @param emails of all admins, by uid; undefined while they are not known
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

/** Names a key to whoever hears the page; a project may have several. */
export const nameKey = (key: StoredKey): string =>
  `the key of ${nameProject(key)}, ${key.hint === undefined ? key.id : `ending in ${key.hint}`}`;

/** What a person types to show that they mean this key: its project, or its id where that cannot be typed. */
export const nameToType = ({ project, id }: StoredKey): string =>
  (project !== undefined && parseProject(project)) || id;
