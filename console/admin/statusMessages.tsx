// The messages that are shown after a key was created or revoked.

import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { type NameActor, nameProject } from './names.ts';

/** @param old the key that was rotated, if one was */
export const Created = ({ project, old }: { project: string; old: StoredKey | undefined }) =>
  old ? (
    <>
      A second key for <bdi>{project}</bdi> was created. Once it is in use, revoke the old one,{' '}
      {old.id}.
    </>
  ) : (
    <>
      A key for <bdi>{project}</bdi> was created.
    </>
  );

export const Unknown = ({ hint }: { hint: string }) => (
  <>
    It is not known whether a key that ends in {hint} was stored. If it appears in the list, revoke
    it, because nobody has it.
  </>
);

interface Props {
  readonly revoked: StoredKey;
  readonly ownUid: string;
  readonly nameActor: NameActor;
}

export function Revoked({ revoked, ownUid, nameActor }: Props) {
  const { id, revokedBy, revokedAt } = revoked;
  if (revokedBy === ownUid) {
    return (
      <>
        The key {id} of <bdi>{nameProject(revoked)}</bdi> is revoked.
      </>
    );
  }
  const since = revokedAt === undefined ? '' : ` on ${formatTime(revokedAt)}`;
  return (
    <>
      The key {id} was already revoked{since} by {nameActor(revokedBy)}.
    </>
  );
}
