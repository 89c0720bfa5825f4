/**
 * A form checks a changed field when the user leaves it, and all fields when the form is sent. A server error is shown
 * at the field to which it belongs. A draft survives a reload until the form is sent, but secrets are never stored.
 */
import {
  createContext,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
} from 'react'
import { ApiError } from '#sdk/errors.ts'
import { Button, type ButtonKind } from './button.tsx'
import { ButtonText } from './button-text.tsx'
import { classNames } from './class-names.ts'
import { draftKey, draftText, valuesWithDraft, type FormValues } from './draft-of-form.ts'
import { FailureNote, isConflict } from './failure.tsx'
import { focusInOverlay } from './focus-first-field.ts'
import { useHold } from './hold-page.ts'
import { microsOfText, moneyText } from './money-text.ts'

export type Faults<V> = Partial<Record<keyof V & string, string>>

export interface Form<V extends FormValues> {
  readonly values: V
  readonly set: <K extends keyof V & string>(name: K, value: V[K]) => void
  readonly faults: Faults<V>
  readonly leave: (name: keyof V & string) => void
  readonly send: () => Promise<void>
  readonly isBusy: boolean
  /** Errors that belong to no single field. */
  readonly failure: unknown
  readonly reset: () => void
  readonly isChanged: boolean
}

export interface FormOptions<V extends FormValues> {
  /** Null if no draft is stored, as in forms with a secret. */
  readonly draft: string | null
  readonly initial: V
  readonly check?: (values: V) => Faults<V>
  /** Rejects with the server's error. */
  readonly send: (values: V) => Promise<unknown>
  /** Maps names of API fields to names of form fields that differ. */
  readonly fieldOf?: Readonly<Record<string, keyof V & string>>
  /** The field and its error if the form creates a resource that already exists. */
  readonly ifExists?: { readonly name: keyof V & string; readonly fault: string } | undefined
}

/** Drafts of forms in different scopes are separate, such as those of two applications. */
export const DraftScope = createContext('')

export function useForm<V extends FormValues>({
  check = () => ({}),
  draft,
  fieldOf = {},
  ifExists,
  initial,
  send,
}: FormOptions<V>): Form<V> {
  const scope = useContext(DraftScope)
  const key = draft === null ? null : draftKey(scope, draft)
  const [values, setValues] = useState<V>(() => valuesWithDraft(initial, storedAt(key)))
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState<Faults<V>>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const text = draftText(values, initial)

  useEffect(() => {
    if (key === null) return
    if (text === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }, [key, text])

  const checked = check(values)
  const faults: Faults<V> = { ...said }
  for (const [name, fault] of Object.entries(checked)) {
    if (left.has(name)) Object.assign(faults, { [name]: fault })
  }

  return {
    values,
    faults,
    failure,
    isBusy,
    isChanged: text !== null,
    set(name, value) {
      setValues((before) => ({ ...before, [name]: value }))
      setSaid((before) => ({ ...before, [name]: undefined }))
    },
    leave(name) {
      // An error of an untouched field would move the button that the user is about to click.
      if (values[name] !== initial[name]) setLeft((before) => new Set([...before, name]))
    },
    reset() {
      if (key !== null) sessionStorage.removeItem(key)
      setValues(initial)
      setLeft(new Set())
      setSaid({})
      setFailure(null)
    },
    async send() {
      setLeft(new Set(Object.keys(values)))
      if (Object.values(checked).some((fault) => fault !== undefined)) return
      setBusy(true)
      setFailure(null)
      setSaid({})
      try {
        await send(values)
        if (key !== null) sessionStorage.removeItem(key)
      } catch (error) {
        const param = error instanceof ApiError ? error.param : null
        const name = param === null ? undefined : (fieldOf[param] ?? (param in values ? param : undefined))
        if (ifExists && isConflict(error)) setSaid({ [ifExists.name]: ifExists.fault } as Faults<V>)
        else if (name !== undefined && error instanceof ApiError)
          setSaid({ [name]: error.message } as Faults<V>)
        else setFailure(error)
      } finally {
        setBusy(false)
      }
    },
  }
}

/** Enter sends the form. If the form has errors, the first field with an error gets the focus. */
export function FormBody<V extends FormValues>({
  action,
  busyAction,
  children,
  className,
  form,
  kind = 'primary',
  onCancel,
  isDisabled = false,
  mayLeave = false,
}: {
  readonly form: Form<V>
  readonly action: ReactNode
  readonly busyAction?: ReactNode
  readonly kind?: ButtonKind
  readonly onCancel?: () => void
  readonly isDisabled?: boolean
  /** Whether the user may leave the page while the form is sent, because the form only reads data. */
  readonly mayLeave?: boolean
  readonly className?: string
  readonly children: ReactNode
}): ReactNode {
  const element = useRef<HTMLFormElement>(null)
  useHold(form.isBusy && !mayLeave)
  useEffect(() => {
    if (element.current) focusInOverlay(element.current)
  }, [])
  const hasFaults = Object.values(form.faults).some((fault) => fault !== undefined)
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    void sendAndFocus()
  }
  const sendAndFocus = async (): Promise<void> => {
    await form.send()
    // The errors must be in the document first.
    setTimeout(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <form
      ref={element}
      noValidate
      onSubmit={onSubmit}
      aria-busy={form.isBusy || undefined}
      data-changed={form.isChanged || undefined}
      className={classNames('flex flex-col gap-4', className)}
    >
      {children}
      {/* forms-with-revision.tsx of the console explains a conflict. */}
      {form.failure !== null && !isConflict(form.failure) && <FailureNote error={form.failure} />}
      {/* In a dialog or a sheet that scrolls, the action is always visible, at the edge of the overlay. */}
      <div
        className={classNames(
          'flex flex-wrap items-center gap-2 pt-1',
          'in-[[role=dialog]]:sticky in-[[role=dialog]]:bottom-(--below-content) in-[[role=dialog]]:-mb-3 in-[[role=dialog]]:bg-surface in-[[role=dialog]]:py-3',
        )}
      >
        <Button type="submit" kind={kind} className="max-w-full" isBusy={form.isBusy} disabled={isDisabled}>
          <ButtonText>{form.isBusy ? (busyAction ?? action) : action}</ButtonText>
        </Button>
        {onCancel && (
          <Button kind="quiet" disabled={form.isBusy} onClick={onCancel}>
            Cancel
          </Button>
        )}
        {hasFaults && <span className="text-13 text-negative">Fix the errors above.</span>}
      </div>
    </form>
  )
}

export function Field({
  children,
  fault,
  help,
  isOptional,
  label,
}: {
  readonly label: ReactNode
  readonly help?: ReactNode
  readonly fault?: string | undefined
  readonly isOptional?: boolean | undefined
  readonly children: (control: {
    readonly id: string
    readonly 'aria-invalid': boolean | undefined
    readonly 'aria-describedby': string | undefined
  }) => ReactNode
}): ReactNode {
  const id = useId()
  const about = `${id}-about`
  const hasWords = fault !== undefined || help !== undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-13 font-medium">
        {label}
        {isOptional === true && <span className="font-normal text-ink-3"> (optional)</span>}
      </label>
      {children({
        id,
        'aria-invalid': fault === undefined ? undefined : true,
        'aria-describedby': hasWords ? about : undefined,
      })}
      {hasWords && (
        <p
          id={about}
          className={classNames('text-13', fault === undefined ? 'text-ink-3' : 'text-negative')}
          role={fault === undefined ? undefined : 'alert'}
        >
          {fault ?? help}
        </p>
      )}
    </div>
  )
}

export const inputClass =
  'h-9 w-full min-w-0 rounded border border-edge bg-surface px-3 text-14 text-ink placeholder:text-ink-3 aria-invalid:border-negative disabled:opacity-60'

type Named<V extends FormValues> = {
  readonly form: Form<V>
  readonly name: keyof V & string
  readonly label: ReactNode
  readonly help?: ReactNode
  readonly isOptional?: boolean
}

export function TextField<V extends FormValues>({
  form,
  help,
  isOptional,
  label,
  name,
  onLeave,
  suggestions,
  ...rest
}: Named<V> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'form' | 'name' | 'value'> & {
    /** The field also accepts any other text. */
    readonly suggestions?: readonly string[]
    readonly onLeave?: () => void
  }): ReactNode {
  const list = useId()
  return (
    <Field label={label} help={help} fault={form.faults[name]} isOptional={isOptional}>
      {(control) => (
        <>
          <input
            autoComplete="off"
            spellCheck={false}
            {...rest}
            {...control}
            className={classNames(inputClass, rest.className)}
            value={String(form.values[name])}
            list={suggestions ? list : undefined}
            onChange={(event) => form.set(name, event.target.value as V[typeof name])}
            onBlur={() => {
              form.leave(name)
              onLeave?.()
            }}
          />
          {suggestions && (
            <datalist id={list}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}

/** At most six decimals. `microsOfText` converts the amount for the API. */
export function MoneyField<V extends FormValues>(props: Named<V> & { readonly per?: string }): ReactNode {
  const { form, help, isOptional, label, name, per } = props
  const micros = microsOfText(String(form.values[name]))
  return (
    <Field
      label={label}
      help={
        help ??
        (micros === null
          ? 'Amount in dollars, with up to six decimals.'
          : `${moneyText(micros)}${per ? ` ${per}` : ''}`)
      }
      fault={form.faults[name]}
      isOptional={isOptional}
    >
      {(control) => (
        <span className="relative">
          <span aria-hidden className="absolute top-0 left-3 leading-9 text-ink-3">
            $
          </span>
          <input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            className={classNames(inputClass, 'figures pl-6')}
            value={String(form.values[name])}
            onChange={(event) => form.set(name, event.target.value as V[typeof name])}
            onBlur={() => form.leave(name)}
          />
        </span>
      )}
    </Field>
  )
}

export function SelectField<V extends FormValues>({
  form,
  help,
  isOptional,
  label,
  name,
  options,
}: Named<V> & {
  /** '' means no choice. */
  readonly options: readonly (readonly [value: string, words: string])[]
}): ReactNode {
  return (
    <Field label={label} help={help} fault={form.faults[name]} isOptional={isOptional}>
      {(control) => (
        <select
          {...control}
          className={inputClass}
          value={String(form.values[name])}
          onChange={(event) => form.set(name, event.target.value as V[typeof name])}
          onBlur={() => form.leave(name)}
        >
          {options.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function TextAreaField<V extends FormValues>({
  form,
  help,
  isMono,
  isOptional,
  label,
  name,
  rows = 4,
}: Named<V> & { readonly rows?: number; readonly isMono?: boolean }): ReactNode {
  return (
    <Field label={label} help={help} fault={form.faults[name]} isOptional={isOptional}>
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          spellCheck={false}
          className={classNames(inputClass, 'h-auto py-2', isMono === true && 'font-mono text-13')}
          value={String(form.values[name])}
          onChange={(event) => form.set(name, event.target.value as V[typeof name])}
          onBlur={() => form.leave(name)}
        />
      )}
    </Field>
  )
}

export function CheckField<V extends FormValues>({ form, help, label, name }: Named<V>): ReactNode {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        type="checkbox"
        id={id}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={form.values[name] === true}
        aria-describedby={help === undefined ? undefined : `${id}-about`}
        onChange={(event) => form.set(name, event.target.checked as V[typeof name])}
      />
      <div>
        <label htmlFor={id} className="text-14">
          {label}
        </label>
        {help !== undefined && (
          <p id={`${id}-about`} className="text-13 text-ink-3">
            {help}
          </p>
        )}
      </div>
    </div>
  )
}

export function moneyFault(
  text: string,
  { least = 0n }: { readonly least?: bigint } = {},
): string | undefined {
  const micros = microsOfText(text)
  if (micros === null) return 'Enter dollars with up to six decimals, such as 20 or 0.25.'
  return BigInt(micros) < least ? `The minimum is ${moneyText(least)}.` : undefined
}

function storedAt(key: string | null): string | null {
  try {
    return key === null ? null : sessionStorage.getItem(key)
  } catch {
    return null
  }
}
