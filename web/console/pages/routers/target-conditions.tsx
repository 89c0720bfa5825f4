import type { ReactNode } from 'react'
import { Field, inputClass } from '#web/ui/form.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { useBundleSlugs } from '../../name-suggestions.ts'
import { whenWords } from './router-in-words.ts'
import { features, targetOf, timeoutNames, type TargetDraft } from './target-as-form-fields.ts'

const timeoutLabels = {
  connectMs: 'Connect timeout, ms',
  firstByteMs: 'First byte timeout, ms',
  firstTokenMs: 'First token timeout, ms',
  idleMs: 'Timeout between chunks, ms',
  totalMs: 'Total timeout, ms',
} as const

export function TargetConditions({
  onChange,
  target,
}: {
  readonly target: TargetDraft
  readonly onChange: (next: TargetDraft) => void
}): ReactNode {
  const slugs = useBundleSlugs()
  const set = (changes: Partial<TargetDraft>): void => onChange({ ...target, ...changes })
  const words = whenWords(targetOf(target).when) ?? 'Accepts any request'
  return (
    <details>
      <summary className="cursor-pointer text-13 text-ink-2 wrap-anywhere">{words}</summary>
      <div className="mt-3 flex flex-col gap-3">
        <Field
          label="Only for end users on these bundles"
          help={
            slugs.length > 0
              ? `Available bundles: ${slugs.join(', ')}`
              : 'Enter bundle slugs, separated by commas.'
          }
          isOptional
        >
          {(control) => (
            <input
              {...control}
              className={inputClass}
              value={target.bundles}
              placeholder="pro, team"
              autoComplete="off"
              onChange={(event) => set({ bundles: event.target.value })}
            />
          )}
        </Field>
        <fieldset>
          <legend className="mb-1 text-13 font-medium">
            Only for requests that need all of these features
          </legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {features.map((feature) => (
              <label key={feature} className="flex min-h-6 items-center gap-1.5 text-14">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={target.features.includes(feature)}
                  onChange={(event) =>
                    set({
                      features: event.target.checked
                        ? features.filter((one) => one === feature || target.features.includes(one))
                        : target.features.filter((one) => one !== feature),
                    })
                  }
                />
                {feature}
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid gap-3 phone:grid-cols-2">
          <Whole
            label="Minimum input tokens"
            value={target.inputTokensMin}
            onChange={(inputTokensMin) => set({ inputTokensMin })}
          />
          <Whole
            label="Maximum input tokens"
            value={target.inputTokensMax}
            onChange={(inputTokensMax) => set({ inputTokensMax })}
          />
          <Field label="Mode of the key" isOptional>
            {(control) => (
              <select
                {...control}
                className={inputClass}
                value={target.mode}
                onChange={(event) => set({ mode: event.target.value })}
              >
                <option value="">Live or test key</option>
                <option value="live">Only live keys</option>
                <option value="test">Only test keys</option>
              </select>
            )}
          </Field>
          <Whole
            label="Maximum requests in flight"
            value={target.maxInFlight}
            onChange={(maxInFlight) => set({ maxInFlight })}
          />
          {timeoutNames.map((name) => (
            <Whole
              key={name}
              label={timeoutLabels[name]}
              value={target.timeouts[name]}
              onChange={(text) => set({ timeouts: { ...target.timeouts, [name]: text } })}
            />
          ))}
        </div>
      </div>
    </details>
  )
}

function Whole({
  label,
  onChange,
  value,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}): ReactNode {
  return (
    <Field label={label} isOptional>
      {(control) => (
        <input
          {...control}
          className={classNames(inputClass, 'figures')}
          inputMode="numeric"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
