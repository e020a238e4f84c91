// The form for a new key: for whom it is, what it may do, and when it and the key that it replaces end.

import type { ComponentProps } from 'preact';
import { useId, useState } from 'preact/hooks';
import { MODES, type Mode } from '../../records/apiKey.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { FormDialog, Problem, TextField } from '../Dialog.tsx';
import { DAY_MS } from '../times.ts';
import { MODE_NAMES } from './KeyRow.tsx';
import type { NewKey, StoredKey } from './keyStore.ts';
import { useShared } from './shared.ts';

interface FormProps {
  readonly rotated: StoredKey | undefined;
  readonly isStoring: boolean;
  readonly onSubmit: (details: NewKey) => void;
}

/** What a mode lets a project find out. */
const REVEALS: Readonly<Record<Mode, string>> = {
  wallet: 'Shows the records of anybody whose wallet is known. Wallets are public on the chain.',
  email: 'Shows whether an address has an account here, and that person’s records.',
  token: 'Shows only the records of people who gave the project a token in the last 24 hours.',
};

const A_DATE = 'date';
const NEVER = 'never';
/** When a key ends: a number of days, or one of the above, with the text of the option. */
const ENDS = [
  [NEVER, 'Never'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  [A_DATE, 'After a date'],
] as const;
const OLD_ENDS = [
  ['7', 'In a week'],
  [NEVER, 'Not by itself. I will revoke it'],
] as const;

type SelectProps = ComponentProps<'select'> & {
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
};

const SelectField = ({ label, options, ...rest }: SelectProps) => (
  <label>
    {label}
    <select {...rest}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

/** Asks for what the key may do and for the contact, and for the project unless a key is rotated. */
export function KeyForm({ rotated, isStoring, onSubmit }: FormProps) {
  const { close, nowMs } = useShared();
  const [problems, setProblems] = useState({ project: '', contact: '', modes: '' });
  const modesProblem = useId();
  const [ends, setEnds] = useState<string>(rotated?.expiresAt === undefined ? NEVER : '365');

  function endOf(choice: string, lastDay: string): { expiresAt?: Date } {
    if (choice === NEVER) return {};
    if (choice !== A_DATE) return { expiresAt: new Date(nowMs + Number(choice) * DAY_MS) };
    // The end of that day in the admin's time zone.
    const expiresAt = new Date(`${lastDay}T00:00`);
    expiresAt.setDate(expiresAt.getDate() + 1);
    return { expiresAt };
  }

  function submit(typed: (name: string) => string): void {
    const project = parseProject(rotated?.project ?? typed('project'));
    const contact = parseProject(typed('contact'));
    const modes = MODES.filter((mode) => typed(mode) === 'on');
    const isContactWrong = typed('contact') !== '' && contact === undefined;
    const rule = typed('project') === '' ? 'Name the project that the key is for.' : PROJECT_RULE;
    setProblems({
      project: project === undefined ? rule : '',
      contact: isContactWrong ? CONTACT_RULE : '',
      modes: modes.length === 0 ? 'Choose at least one.' : '',
    });
    if (project === undefined || isContactWrong || modes.length === 0) return;
    const { expiresAt: end } = endOf(rotated ? typed('oldEnds') : NEVER, '');
    onSubmit({
      project,
      ...(contact !== undefined && { contact }),
      rights: {
        ...(modes.length < MODES.length && { modes }),
        ...endOf(ends, typed('lastDay')),
        ...(rotated?.readsPerSecond !== undefined && { readsPerSecond: rotated.readsPerSecond }),
      },
      ...(rotated && end && { replaced: { hash: rotated.hash, end } }),
    });
  }

  const project = <bdi>{rotated?.project}</bdi>;
  return (
    <FormDialog
      title={rotated ? <>Rotate the key of {project}</> : 'Create a key'}
      isBusy={isStoring}
      button={['Create key', 'Storing…', 'primary']}
      onSubmit={submit}
      onCancel={close}
    >
      {rotated ? (
        <p>
          This creates a second key for {project}. The old one works until it ends, so nothing stops
          working now.
        </p>
      ) : (
        <TextField
          label="Project"
          help="Who the key is for, for example “Acme DAO”. You cannot change it here later."
          name="project"
          problem={problems.project}
        />
      )}
      <TextField
        label="Contact (optional)"
        help="Who to contact if the key leaks, for example “security@acme.example”."
        name="contact"
        initial={rotated?.contact}
        problem={problems.contact}
      />
      <fieldset class="stack" aria-describedby={modesProblem}>
        <legend>May look up by</legend>
        {MODES.map((mode) => (
          <label key={mode} class="choice">
            <input
              type="checkbox"
              name={mode}
              defaultChecked={rotated?.modes.includes(mode) ?? true}
            />
            <span>
              {MODE_NAMES[mode]}
              <small>{REVEALS[mode]}</small>
            </span>
          </label>
        ))}
        <Problem id={modesProblem} text={problems.modes} />
      </fieldset>
      <SelectField
        label="Ends"
        options={ENDS}
        value={ends}
        onChange={(event) => setEnds(event.currentTarget.value)}
      />
      {ends === A_DATE && (
        <label>
          Last day
          {/* In Swedish, dates are written as the field wants them. */}
          <input
            type="date"
            name="lastDay"
            required
            min={new Date(nowMs).toLocaleDateString('sv')}
            max="2099-12-31"
          />
        </label>
      )}
      {rotated && <SelectField label="The old key ends" options={OLD_ENDS} name="oldEnds" />}
    </FormDialog>
  );
}
