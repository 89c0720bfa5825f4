import { useId, type ReactNode } from 'react'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { CloseIcon } from '#web/ui/icons.tsx'
import { measureWords, windowWords } from '#web/ui/limit-text.ts'
import { patternsOf, useNames } from '../name-suggestions.ts'
import { draftsMax, newDraft, type LimitDraft } from './limits-as-typed.ts'

export function LimitRows({
  drafts,
  fault,
  onChange,
}: {
  readonly drafts: readonly LimitDraft[]
  readonly fault: string | undefined
  readonly onChange: (next: readonly LimitDraft[]) => void
}): ReactNode {
  const faultId = useId()
  const listId = useId()
  const patterns = patternsOf(useNames())
  return (
    <fieldset
      className="flex min-w-0 flex-col gap-4"
      aria-describedby={fault === undefined ? undefined : faultId}
    >
      <legend className="sr-only">Limits</legend>
      {drafts.length === 0 && (
        <p className="text-14 text-ink-2">No limits. Requests are limited only by credit.</p>
      )}
      {drafts.map((draft, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a typed limit has no ID
        <div
          key={at}
          className="flex items-start gap-2 border-b border-line pb-4"
          role="group"
          aria-label={`Limit ${at + 1}`}
        >
          <LimitFields
            draft={draft}
            at={at}
            listId={listId}
            onChange={(next) => onChange(drafts.map((one, place) => (place === at ? next : one)))}
          />
          <span className="pt-6">
            <IconButton
              label={`Remove limit ${at + 1}`}
              onClick={() => onChange(drafts.filter((_, place) => place !== at))}
            >
              <CloseIcon />
            </IconButton>
          </span>
        </div>
      ))}
      <datalist id={listId}>
        {patterns.map((pattern) => (
          <option key={pattern} value={pattern} />
        ))}
      </datalist>
      {fault !== undefined && (
        <p id={faultId} role="alert" className="text-13 text-negative">
          {fault}
        </p>
      )}
      <div>
        <Button
          size="small"
          disabled={drafts.length >= draftsMax}
          onClick={() => onChange([...drafts, newDraft])}
        >
          Add limit
        </Button>
      </div>
    </fieldset>
  )
}

function LimitFields({
  at,
  draft,
  listId,
  onChange,
}: {
  readonly draft: LimitDraft
  readonly at: number
  readonly listId: string
  readonly onChange: (next: LimitDraft) => void
}): ReactNode {
  const { measure, models, most, window } = draft
  const number = at + 1
  return (
    <div className="grid min-w-0 flex-1 gap-2 phone:grid-cols-2">
      <Field label={`Measure ${number}`}>
        {(control) => (
          <select
            {...control}
            className={inputClass}
            value={measure}
            // A number that was typed for one measure is not valid for another.
            onChange={(event) => onChange({ ...draft, measure: event.target.value, most: '' })}
          >
            {Object.entries(measureWords).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      {measure === 'calls' ? (
        <p className="self-center text-13 text-ink-3 phone:pt-6">
          This limit counts requests in flight, so it has no window.
        </p>
      ) : (
        <Field label={`Window ${number}`}>
          {(control) => (
            <select
              {...control}
              className={inputClass}
              value={window}
              onChange={(event) => onChange({ ...draft, window: event.target.value })}
            >
              {Object.entries(windowWords).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label={measure === 'micros' ? `Maximum ${number}, in dollars` : `Maximum ${number}`}>
        {(control) => (
          <input
            {...control}
            inputMode={measure === 'micros' ? 'decimal' : 'numeric'}
            autoComplete="off"
            className={`${inputClass} figures`}
            value={most}
            onChange={(event) => onChange({ ...draft, most: event.target.value })}
          />
        )}
      </Field>
      <Field label={`Models ${number}`} isOptional>
        {(control) => (
          <input
            {...control}
            autoComplete="off"
            spellCheck={false}
            list={listId}
            placeholder="All models"
            className={inputClass}
            value={models}
            onChange={(event) => onChange({ ...draft, models: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}
