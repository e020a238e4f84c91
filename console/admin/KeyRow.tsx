// One key in the list. Revoking is always visible; a menu has the rare actions.

import type { RefObject } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { keyId, parseKeyHash } from '../../records/apiKey.ts';
import { parseProject } from '../../records/project.ts';
import { CopyButton } from '../CopyButton.tsx';
import { formatTime } from '../times.ts';
import { isOverdue, type KeyState, type StoredKey } from './keyStore.ts';
import { Lookups } from './messages.tsx';
import { nameKey, nameProject, useShared } from './shared.ts';

interface Props {
  readonly listed: StoredKey;
}

export function KeyRow({ listed }: Props) {
  const { nameActor, newest } = useShared();
  const id = useRef<HTMLElement>(null);
  const { contact, createdAt, createdBy, hint, state } = listed;
  return (
    <tr class={state === 'active' ? '' : 'inactive'}>
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
        {createdAt === undefined ? 'Unknown' : <Time ms={createdAt} />}
        <small>by {nameActor(createdBy)}</small>
      </td>
      <td class="row-actions">{state !== 'not usable' && <Actions listed={listed} id={id} />}</td>
    </tr>
  );
}

const Time = ({ ms }: { ms: number }) => <span class="time">{formatTime(ms)}</span>;

const BADGES: Readonly<Record<KeyState, string>> = {
  active: 'Active',
  revoked: 'Revoked',
  'not usable': 'Not usable',
};

function State({ listed }: Props) {
  const { nameActor, neverShown, nowMs } = useShared();
  const { state, fault, revokedAt, revokedBy, replacedBy, hash } = listed;
  const replaces = parseKeyHash(listed.rotates ?? '');
  return (
    <>
      <span class={state === 'active' ? 'badge good' : 'badge'}>{BADGES[state]}</span>
      {state === 'revoked' && revokedBy !== undefined && ` by ${nameActor(revokedBy)}`}
      {isOverdue(listed, nowMs) && <span class="badge due">Replaced, revoke it</span>}
      {fault !== undefined && <small>{fault}, so it does not work.</small>}
      {state === 'revoked' && revokedAt !== undefined && (
        <small>
          <Time ms={revokedAt} />
        </small>
      )}
      {replaces && (
        <small>
          replaces <code>{keyId(replaces)}</code>
        </small>
      )}
      {replacedBy && (
        <small>
          replaced by <code>{replacedBy.id}</code>
        </small>
      )}
      {state === 'active' && neverShown.has(hash) && (
        <strong class="danger-quiet">Never shown to anyone, so revoke it</strong>
      )}
    </>
  );
}

/** @param id the element that shows the key's id */
function Actions({ listed, id }: Props & { id: RefObject<HTMLElement | null> }) {
  const { mayChange, begin } = useShared();
  const menuId = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const mayRevoke = mayChange && listed.state === 'active';
  // A hand-written record may contain a name that the rules refuse for another key.
  const mayRotate = mayRevoke && parseProject(listed.project ?? '') !== undefined;

  /** Puts the menu below its button. */
  function place(): void {
    const { bottom = 0, right = 0 } = opener.current?.getBoundingClientRect() ?? {};
    if (!menu.current) return;
    menu.current.style.top = `${bottom + scrollY + 4}px`;
    menu.current.style.right = `${document.documentElement.clientWidth - right}px`;
  }

  return (
    <>
      <button
        type="button"
        class="small"
        ref={opener}
        popovertarget={menuId}
        aria-label={`More for ${nameKey(listed)}`}
      >
        More
      </button>
      <div id={menuId} ref={menu} class="menu" popover="auto" onBeforeToggle={place}>
        <CopyButton from={id} label={`Copy id of ${nameKey(listed)}`}>
          Copy id
        </CopyButton>
        <Lookups target={listed} />
        {mayRotate && (
          <button
            type="button"
            aria-label={`Rotate ${nameKey(listed)}`}
            onClick={() => {
              // Returns the focus to the menu's button, so that the dialog can return it there too.
              menu.current?.hidePopover();
              begin({ kind: 'rotate', target: listed });
            }}
          >
            Rotate
          </button>
        )}
      </div>
      {mayRevoke && (
        <button
          type="button"
          class="small danger-quiet"
          aria-label={`Revoke ${nameKey(listed)}`}
          onClick={() => begin({ kind: 'revoke', target: listed })}
        >
          Revoke
        </button>
      )}
    </>
  );
}
