// The form for a key: for whom it is, what it may do, and when it and the key that it replaces end.

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { DAY_MS, MODES } from '../../contract/endpoint.ts';
import { endOfDay, type KeyDetails, MODE_NAMES, type StoredKey } from '../../records/apiKey.ts';
import { activeKeyOf, MODE_REVEALS } from '../../records/apiKeyText.ts';
import { CONTACT_RULE, PROJECT_RULE, parseProject } from '../../records/project.ts';
import { Button } from '../buttons.tsx';
import { FormDialog, Problem, TextField } from '../Dialog.tsx';
import { capitalized, Name } from '../Text.tsx';
import { formatDay, formatTime } from '../times.ts';
import { useShared } from './shared.ts';

/** What an admin has entered. */
export interface Entered {
  readonly project: string;
  readonly details: KeyDetails;
  readonly endsOld: boolean;
}

interface FormProps {
  readonly title: ComponentChildren;
  /** The key whose rights the form shows at first, and whose project is kept. */
  readonly basis?: StoredKey | undefined;
  /** Whether a new key replaces that one. */
  readonly isRotation?: boolean;
  readonly isBusy: boolean;
  readonly problem?: string;
  readonly button: readonly [string, string, 'primary'];
  readonly onSubmit: (entered: Entered) => void;
  readonly children?: ComponentChildren;
}

type ChoiceProps = Readonly<
  Record<'name' | 'label' | 'help', string> & { isChosen: boolean; isWrong?: boolean }
>;

const Choice = ({ name, label, help, isChosen, isWrong = false }: ChoiceProps) => (
  <label class="choice">
    <input type="checkbox" name={name} defaultChecked={isChosen} aria-invalid={isWrong} />
    <span>
      {label}
      <small>{help}</small>
    </span>
  </label>
);

const NEVER = 'Never';
const AFTER_A_DATE = 'After a date';
const LAST_DAY = '2099-12-31';
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Why the value of a field cannot be used. */
type Problems = Partial<Record<'project' | 'contact' | 'modes' | 'reads' | 'lastDay', string>>;

/** What the form says, and what is wrong with it. */
function readForm(
  typed: (name: string) => string,
  { basis, ends, choices, nowMs }: EndsProps & { basis: StoredKey | undefined; nowMs: number },
) {
  const project = basis ? basis.project : parseProject(typed('project'));
  const contact = parseProject(typed('contact'));
  const modes = MODES.filter((mode) => typed(mode) === 'on');
  const reads = typed('reads');
  const lastDay = typed('lastDay');
  const isInRange = lastDay >= dayOf(nowMs) && lastDay <= LAST_DAY;
  const wrong: Problems = {};
  if (!basis && project === undefined)
    wrong.project =
      typed('project') === '' ? 'Name the project that the key is for.' : PROJECT_RULE;
  // An older contact may stay.
  if (contact === undefined && !['', basis?.contact?.trim()].includes(typed('contact')))
    wrong.contact = CONTACT_RULE;
  if (modes.length === 0) wrong.modes = 'Choose at least one.';
  if (reads !== '' && !/^[1-9]\d{0,14}$/.test(reads))
    wrong.reads = 'Write a whole number above 0, or nothing.';
  if (ends === AFTER_A_DATE && !isInRange)
    wrong.lastDay = 'Choose a day from today until the end of 2099.';
  const details = {
    contact: typed('contact') === '' ? undefined : (contact ?? basis?.contact),
    modes,
    expiresAt: ends === AFTER_A_DATE ? endOfDay(lastDay) : choices.get(ends),
    readsPerSecond: reads === '' ? undefined : Number(reads),
  };
  const entered: Entered = { project: project ?? '', details, endsOld: typed('endOld') === 'on' };
  return { wrong, entered };
}

/** The ends that the form offers, and the chosen one. */
function useEnds(basis: StoredKey | undefined, isRotation: boolean) {
  // The date in a choice must not change while the form is open.
  const [openedMs] = useState(useShared().nowMs);
  const inDays = (days: number): number => openedMs + days * DAY_MS;
  const oldEnd = basis?.expiresAt;
  const kept = oldEnd === undefined ? NEVER : `As now (${formatTime(oldEnd)})`;
  const inAYear = `In a year (${formatDay(inDays(365))})`;
  const choices = new Map([
    ...(basis && !isRotation && oldEnd !== undefined ? [[kept, oldEnd] as const] : []),
    [NEVER, undefined],
    [`In 90 days (${formatDay(inDays(90))})`, inDays(90)],
    [inAYear, inDays(365)],
  ]);
  const [ends, setEnds] = useState(basis && (!isRotation || oldEnd === undefined) ? kept : inAYear);
  return { choices, ends, setEnds, inDays };
}

type EndsProps = Pick<ReturnType<typeof useEnds>, 'choices' | 'ends'>;

export function KeyForm({ basis, isRotation = false, problem = '', children, ...form }: FormProps) {
  const { close, nowMs } = useShared();
  const [problems, setProblems] = useState<Problems>({});
  const end = useEnds(basis, isRotation);
  const oldEnd = basis?.expiresAt;

  return (
    <FormDialog
      {...form}
      onSubmit={(typed) => {
        const { wrong, entered } = readForm(typed, { ...end, basis, nowMs });
        setProblems(wrong);
        if (Object.keys(wrong).length === 0) form.onSubmit(entered);
      }}
      onCancel={close}
      onChange={(name) => {
        const field = MODES.some((mode) => mode === name) ? 'modes' : name;
        setProblems((all) => ({ ...all, [field]: undefined }));
      }}
    >
      {children}
      {!basis && <ProjectField problem={problems.project} />}
      <TextField
        label="Contact (optional)"
        help="Who to contact if the key leaks, for example “security@acme.example”."
        name="contact"
        initial={basis?.contact}
        problem={problems.contact}
      />
      <ModesField chosen={basis?.modes} problem={problems.modes} />
      <TextField
        label="Reads a second (optional)"
        help="The document reads that it may cause, on each instance. Leave it empty for the deployment’s limit."
        name="reads"
        initial={basis?.readsPerSecond?.toString()}
        problem={problems.reads}
      />
      <EndsField {...end} problem={problems.lastDay} />
      {isRotation && (oldEnd ?? Infinity) > end.inDays(7) && (
        <Choice
          name="endOld"
          label="End the old key in a week"
          help={`Otherwise it works until ${oldEnd === undefined ? 'you revoke it' : formatTime(oldEnd)}.`}
          isChosen
        />
      )}
      <Problem text={problem} />
    </FormDialog>
  );
}

interface Wrong {
  readonly problem: string | undefined;
}

/** Offers to rotate the key of a project that has one. */
function ProjectField({ problem }: Wrong) {
  const { nowMs, keys, begin } = useShared();
  const [typed, setTyped] = useState('');
  const existing = activeKeyOf(keys, typed, nowMs);
  return (
    <>
      <TextField
        label="Project"
        help="Who the key is for, for example “Acme DAO”. It cannot be changed later."
        name="project"
        problem={problem}
        onInput={setTyped}
      />
      <p aria-live="polite" class="row">
        {existing && (
          <>
            <span>
              <Name>{existing.project}</Name> already has an active key, <Name>{existing.id}</Name>.
            </span>
            <Button class="small" onClick={() => begin({ kind: 'create', rotated: existing })}>
              Rotate it instead
            </Button>
          </>
        )}
      </p>
    </>
  );
}

function ModesField({ chosen = [], problem }: Wrong & { chosen: KeyDetails['modes'] }) {
  const problemId = useId();
  return (
    <fieldset class="stack" aria-describedby={problemId}>
      <legend>May look up by</legend>
      {MODES.map((mode) => (
        <Choice
          key={mode}
          name={mode}
          label={capitalized(MODE_NAMES[mode])}
          help={MODE_REVEALS[mode]}
          isChosen={chosen.includes(mode)}
          isWrong={problem !== undefined}
        />
      ))}
      <Problem id={problemId} text={problem ?? ''} />
    </fieldset>
  );
}

function EndsField({
  choices,
  ends,
  setEnds,
  inDays,
  problem,
}: Wrong & ReturnType<typeof useEnds>) {
  return (
    <>
      <label>
        Ends
        <select value={ends} onChange={(event) => setEnds(event.currentTarget.value)}>
          {[...choices.keys(), AFTER_A_DATE].map((text) => (
            <option key={text}>{text}</option>
          ))}
        </select>
      </label>
      {ends === AFTER_A_DATE && (
        <TextField
          label="Last day (UTC)"
          name="lastDay"
          // WebKit shows the current day in an empty field, as if it were chosen.
          initial={dayOf(inDays(30))}
          input={{ type: 'date', min: dayOf(inDays(0)), max: LAST_DAY }}
          problem={problem}
        />
      )}
    </>
  );
}
