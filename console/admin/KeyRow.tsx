// One key in the list, with its actions.

import { useRef } from 'preact/hooks';
import { parseProject } from '../../records/project.ts';
import { CopyButton } from '../CopyButton.tsx';
import { formatTime } from '../times.ts';
import type { KeyState, StoredKey } from './keyStore.ts';
import { type NameActor, nameKey, nameProject } from './names.ts';

export interface RowProps {
  readonly listed: StoredKey;
  readonly nameActor: NameActor;
  /** The Google Cloud project. */
  readonly projectId: string;
  readonly mayChange: boolean;
  /** Hashes of keys that may have been stored without being shown to anyone. */
  readonly neverShown: ReadonlySet<string>;
  readonly onRotate: (key: StoredKey) => void;
  readonly onRevoke: (key: StoredKey) => void;
}

export function KeyRow(props: RowProps) {
  const { listed, nameActor, neverShown } = props;
  const { contact, createdAt, createdBy, state } = listed;
  return (
    <tr class={state === 'active' ? '' : 'inactive'}>
      <th scope="row">
        <bdi>{nameProject(listed)}</bdi>
        {contact !== undefined && (
          <small>
            <bdi>{contact}</bdi>
          </small>
        )}
      </th>
      <td>
        <Key {...props} />
        {state === 'active' && neverShown.has(listed.hash) && (
          <strong class="never-shown">Never shown to anyone, so revoke it</strong>
        )}
      </td>
      <td>
        <State listed={listed} nameActor={nameActor} />
      </td>
      <td>
        {createdAt === undefined ? 'Unknown' : formatTime(createdAt)}
        <small>by {nameActor(createdBy)}</small>
      </td>
      <td class="buttons">{state === 'active' && props.mayChange && <Actions {...props} />}</td>
    </tr>
  );
}

/** Links to the log lines of the lookups with this key. */
const logOf = (id: string, projectId: string): string =>
  `https://console.cloud.google.com/logs/query;query=${encodeURIComponent(
    `jsonPayload.message="lookup"\njsonPayload.keyId="${id}"`,
  )};duration=P30D?project=${encodeURIComponent(projectId)}`;

function Key({ listed, projectId }: RowProps) {
  const shown = useRef<HTMLElement>(null);
  const { hint, id, state } = listed;
  return (
    <>
      <code ref={shown}>{id}</code>
      {hint !== undefined && (
        <small>
          ends in <code>{hint}</code>
        </small>
      )}
      {state !== 'not usable' && (
        <small class="row">
          <CopyButton from={shown} style="link" label={`Copy id of ${nameKey(listed)}`}>
            Copy id
          </CopyButton>
          <a
            href={logOf(id, projectId)}
            target="_blank"
            rel="noreferrer"
            aria-label={`Lookups with ${nameKey(listed)}, in Google Cloud`}
          >
            Lookups
          </a>
        </small>
      )}
    </>
  );
}

/** Whether the rules would accept another key for this project. A hand-written record may contain any text. */
const isProject = (name: string | undefined): boolean =>
  name !== undefined && parseProject(name) !== undefined;

const Actions = ({ listed, onRotate, onRevoke }: RowProps) => (
  <>
    {isProject(listed.project) && (
      <button
        type="button"
        class="small"
        aria-label={`Rotate ${nameKey(listed)}`}
        onClick={() => onRotate(listed)}
      >
        Rotate
      </button>
    )}
    <button
      type="button"
      class="small danger-quiet"
      aria-label={`Revoke ${nameKey(listed)}`}
      onClick={() => onRevoke(listed)}
    >
      Revoke
    </button>
  </>
);

const BADGES: Readonly<Record<KeyState, string>> = {
  active: 'Active',
  revoked: 'Revoked',
  'not usable': 'Not usable',
};

function State({ listed, nameActor }: Pick<RowProps, 'listed' | 'nameActor'>) {
  const { state, fault, revokedAt, revokedBy } = listed;
  return (
    <>
      <span class={state === 'active' ? 'badge good' : 'badge'}>{BADGES[state]}</span>
      {fault !== undefined && <small>{fault}, so it does not work.</small>}
      {state === 'revoked' && revokedAt !== undefined && (
        <small>
          {formatTime(revokedAt)} by {nameActor(revokedBy)}
        </small>
      )}
    </>
  );
}
