// One key in the list. Revoking is always visible; a menu has the rare actions.

import type { RefObject } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { parseProject } from '../../records/project.ts';
import { Button, CopyButton } from '../buttons.tsx';
import { formatTime } from '../times.ts';
import type { StoredKey } from './keyStore.ts';
import { nameKey, nameProject, neverShown, useShared } from './shared.ts';

interface Props {
  readonly listed: StoredKey;
}

export function KeyRow({ listed }: Props) {
  const { nameActor, newest } = useShared();
  const id = useRef<HTMLElement>(null);
  const { contact, createdAt, createdBy, hint, state } = listed;
  return (
    <tr class={state === 'active' ? '' : 'muted'}>
      <th scope="row">
        <bdi>{nameProject(listed)}</bdi>
        {listed.hash === newest && <span class="badge good">New</span>}
        {contact !== undefined && (
          <small>
            <bdi>{contact}</bdi>
          </small>
        )}
      </th>
      <td data-label="Key">
        <code ref={id}>{listed.id}</code>
        {hint !== undefined && (
          <small>
            ends in <code>{hint}</code>
          </small>
        )}
      </td>
      <td data-label="State">
        <State listed={listed} />
      </td>
      <td data-label="Created">
        {createdAt === undefined ? 'Unknown' : <time>{formatTime(createdAt)}</time>}
        <small>by {nameActor(createdBy)}</small>
      </td>
      <td>{state !== 'not usable' && <Actions listed={listed} id={id} />}</td>
    </tr>
  );
}

function State({ listed }: Props) {
  const { nameActor } = useShared();
  const { state, fault, revokedAt, revokedBy, hash } = listed;
  const isRevoked = state === 'revoked';
  const isLost = state === 'active' && neverShown.has(hash);
  return (
    <>
      <span class={state === 'active' ? 'badge good' : 'badge'}>{state}</span>{' '}
      {isRevoked && revokedBy !== undefined && `by ${nameActor(revokedBy)}`}
      {fault !== undefined && <small>{fault}, so it does not work.</small>}
      {isRevoked && revokedAt !== undefined && <small>{formatTime(revokedAt)}</small>}
      {isLost && <strong class="danger-quiet">Never shown to anyone, so revoke it</strong>}
    </>
  );
}

/** @param id the element that shows the key's id */
function Actions({ listed, id }: Props & { id: RefObject<HTMLElement | null> }) {
  const { mayChange, begin, backend } = useShared();
  const { projectId = '' } = backend.auth.app.options;
  const query = `jsonPayload.message="lookup"\njsonPayload.keyId="${listed.id}"`;
  const logs = `https://console.cloud.google.com/logs/query;query=${encodeURIComponent(query)};duration=P30D`;
  const menuId = useId();
  const menu = useRef<HTMLDivElement>(null);
  const mayRevoke = mayChange && listed.state === 'active';
  // A hand-written record may contain a name that the rules refuse for another key.
  const mayRotate = mayRevoke && parseProject(listed.project ?? '') !== undefined;

  return (
    <>
      <Button class="small" popovertarget={menuId} aria-label={`More for ${nameKey(listed)}`}>
        More
      </Button>
      <div id={menuId} ref={menu} class="card menu" popover="auto">
        <CopyButton from={id} label={`Copy id of ${nameKey(listed)}`}>
          Copy id
        </CopyButton>
        <a
          href={`${logs}?project=${encodeURIComponent(projectId)}`}
          target="_blank"
          rel="noreferrer"
          aria-label={`Lookups with ${nameKey(listed)}, in Google Cloud`}
        >
          Lookups
        </a>
        {mayRotate && (
          <Button
            aria-label={`Rotate ${nameKey(listed)}`}
            onClick={() => {
              // Returns the focus to the menu's button, so that the dialog can return it there too.
              menu.current?.hidePopover();
              begin({ kind: 'create', rotated: listed });
            }}
          >
            Rotate
          </Button>
        )}
      </div>{' '}
      {mayRevoke && (
        <Button
          class="small danger-quiet"
          aria-label={`Revoke ${nameKey(listed)}`}
          onClick={() => begin({ kind: 'revoke', target: listed })}
        >
          Revoke
        </Button>
      )}
    </>
  );
}
