/** Users can drag targets or use buttons (WCAG 2.5.7). */
import { useState, type ReactNode } from 'react'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Field, inputClass } from '#web/ui/form.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { CloseIcon } from '#web/ui/icons.tsx'
import { useAllRows } from '../../load-all-rows.ts'
import { useModelsOf } from '../../name-suggestions.ts'
import { shareWords } from './router-in-words.ts'
import { moved, newTarget, type TargetDraft } from './target-as-form-fields.ts'
import { TargetConditions } from './target-conditions.tsx'

export function TargetList({
  fault,
  isWeighted,
  onChange,
  targets,
}: {
  readonly targets: readonly TargetDraft[]
  readonly isWeighted: boolean
  readonly fault: string | undefined
  readonly onChange: (next: readonly TargetDraft[]) => void
}): ReactNode {
  const [dragged, setDragged] = useState<number | null>(null)
  const weights = targets.map(({ weight }) => Math.max(1, Number(weight) || 1))
  return (
    <fieldset>
      <legend className="mb-1 text-13 font-medium">Targets{isWeighted ? '' : ', in order'}</legend>
      <ol>
        {targets.map((target, at) => (
          <li
            key={target.id}
            onDragOver={(event) => {
              if (dragged !== null) event.preventDefault()
            }}
            onDrop={() => {
              if (dragged !== null && dragged !== at) onChange(moved(targets, dragged, at))
              setDragged(null)
            }}
            className={classNames('border-b border-line py-3', dragged === at && 'opacity-55')}
          >
            <div className="mb-2 flex items-center gap-2">
              <span
                draggable
                title="Drag to move, or use the buttons"
                onDragStart={() => setDragged(at)}
                onDragEnd={() => setDragged(null)}
                className="figures cursor-grab text-13 text-ink-2 select-none"
              >
                <span aria-hidden>⠿</span> Target {at + 1}
              </span>
              {isWeighted && (
                <span className="figures text-13 text-ink-3">{shareWords(weights[at] ?? 1, weights)}</span>
              )}
              <span className="ml-auto flex">
                <IconButton
                  label={`Move target ${at + 1} up`}
                  disabled={at === 0}
                  onClick={() => onChange(moved(targets, at, at - 1))}
                >
                  <span aria-hidden>↑</span>
                </IconButton>
                <IconButton
                  label={`Move target ${at + 1} down`}
                  disabled={at === targets.length - 1}
                  onClick={() => onChange(moved(targets, at, at + 1))}
                >
                  <span aria-hidden>↓</span>
                </IconButton>
                <IconButton
                  label={`Remove target ${at + 1}`}
                  disabled={targets.length === 1}
                  onClick={() => onChange(targets.filter((_, place) => place !== at))}
                >
                  <CloseIcon />
                </IconButton>
              </span>
            </div>
            <Fields
              target={target}
              place={at + 1}
              isWeighted={isWeighted}
              onChange={(next) => onChange(targets.map((one, place) => (place === at ? next : one)))}
            />
          </li>
        ))}
      </ol>
      {fault !== undefined && (
        <p role="alert" className="mt-2 text-13 text-negative">
          {fault}
        </p>
      )}
      <div className="mt-3">
        <Button
          size="small"
          disabled={targets.length >= 64}
          onClick={() => onChange([...targets, newTarget()])}
        >
          Add target
        </Button>
      </div>
    </fieldset>
  )
}

function Fields({
  isWeighted,
  onChange,
  place,
  target,
}: {
  readonly target: TargetDraft
  readonly place: number
  readonly isWeighted: boolean
  readonly onChange: (next: TargetDraft) => void
}): ReactNode {
  const names = useAllRows(target.kind === 'router' ? 'routers.list' : 'models.list').data?.rows ?? []
  const accounts = useAllRows('providers.list').data?.rows ?? []
  const models = useModelsOf(target.provider)
  const list = `target-${place}-suggestions`
  const suggestions = target.kind === 'account' ? models : names.map(({ name }) => name)
  const set = (changes: Partial<TargetDraft>): void => onChange({ ...target, ...changes })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-3">
        <div className="w-44">
          <Field label={`Type of target ${place}`}>
            {(control) => (
              <select
                {...control}
                className={inputClass}
                value={target.kind}
                onChange={(event) => set({ kind: event.target.value as TargetDraft['kind'] })}
              >
                <option value="alias">model</option>
                <option value="account">provider model</option>
                <option value="router">router</option>
              </select>
            )}
          </Field>
        </div>
        {target.kind === 'account' && (
          <div className="min-w-32 flex-1">
            <Field label="Account">
              {(control) => (
                <select
                  {...control}
                  className={inputClass}
                  value={target.provider}
                  onChange={(event) => set({ provider: event.target.value })}
                >
                  <option value="">Choose</option>
                  {accounts.map(({ label }) => (
                    <option key={label} value={label}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
        )}
        <div className="min-w-44 flex-2">
          <Field label={target.kind === 'account' ? 'Model' : target.kind === 'router' ? 'Router' : 'Model'}>
            {(control) => (
              <input
                {...control}
                className={inputClass}
                value={target.kind === 'account' ? target.model : target.name}
                list={list}
                maxLength={200}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) =>
                  set(
                    target.kind === 'account' ? { model: event.target.value } : { name: event.target.value },
                  )
                }
              />
            )}
          </Field>
          <datalist id={list}>
            {suggestions.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </div>
        {isWeighted && (
          <div className="w-24">
            <Field label="Weight">
              {(control) => (
                <input
                  {...control}
                  className={classNames(inputClass, 'figures')}
                  inputMode="numeric"
                  placeholder="1"
                  value={target.weight}
                  onChange={(event) => set({ weight: event.target.value })}
                />
              )}
            </Field>
          </div>
        )}
      </div>
      <TargetConditions target={target} onChange={onChange} />
    </div>
  )
}
