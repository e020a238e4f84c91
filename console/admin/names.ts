// How keys and those who change them are named on the page.

import { parseProject } from '../../records/project.ts';
import type { Session } from '../session.ts';
import type { StoredKey } from './keyStore.ts';

/** @param actor an admin's uid, the command line's account, or `cli` */
export function nameActor(actor: string | undefined, { uid }: Session): string {
  if (actor === undefined) return 'unknown';
  if (actor === uid) return 'you';
  if (actor === 'cli') return 'the command line';
  return actor.includes('@') ? actor : `admin ${actor}`;
}

export const nameProject = ({ project }: StoredKey): string => project ?? '(no project)';

/** What a person types to show that they mean this key: its project, or its id where that cannot be typed. */
export const nameToType = ({ project, id }: StoredKey): string =>
  (project !== undefined && parseProject(project)) || id;
