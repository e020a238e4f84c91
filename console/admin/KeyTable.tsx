// The keys as a table; on a narrow screen each row is a card.

import type { RefObject } from 'preact';
import { KeyRow, type RowProps } from './KeyRow.tsx';
import type { StoredKey } from './keyStore.ts';

interface Props extends Omit<RowProps, 'listed'> {
  readonly keys: readonly StoredKey[];
  readonly rows: RefObject<HTMLTableSectionElement | null>;
}

export const KeyTable = ({ keys, rows, ...rest }: Props) => (
  <table class="card keys">
    <thead>
      <tr>
        <th scope="col">Project</th>
        <th scope="col">Key</th>
        <th scope="col">State</th>
        <th scope="col">Created</th>
        <th scope="col">
          <span class="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody ref={rows}>
      {keys.map((listed) => (
        <KeyRow key={listed.hash} listed={listed} {...rest} />
      ))}
    </tbody>
  </table>
);
