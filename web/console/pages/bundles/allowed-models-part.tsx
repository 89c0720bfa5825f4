import { useState, type ReactNode } from 'react'
import type { Bundle } from '#sdk/generated/types.ts'
import { patternFault } from '#money/model-name-pattern.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { inputClass } from '#web/ui/form.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { patternsOf, useNames } from '../../name-suggestions.ts'
import { reached } from './bundle-in-words.ts'

export function NamesPart({
  bundle,
  ifMatch,
  may,
}: {
  readonly bundle: Bundle
  readonly ifMatch: { readonly ifMatch?: string }
  readonly may: boolean
}): ReactNode {
  const names = useNames()
  const allow = useChange('bundles.allow')
  const deny = useChange('bundles.deny')
  const [pattern, setPattern] = useState('')
  const { slug } = bundle
  const fault = pattern === '' ? null : patternFault(pattern)
  const means = fault === null && pattern !== '' ? reached(names, { allow: [pattern], deny: [] }) : null
  const error = allow.error ?? deny.error
  const input = { slug, models: [pattern === '' ? '*' : pattern] }
  const send = async (change: typeof allow | typeof deny, models: readonly string[]): Promise<void> => {
    await change.mutateAsync({ slug, models, ...ifMatch }).then(
      // Another pattern may have been typed in the meantime.
      () => setPattern((typed) => (models.includes(typed) ? '' : typed)),
      () => {},
    )
  }
  const actionOf = (words: string, change: typeof allow | typeof deny) => (one: string) => (
    <Button
      size="small"
      kind="quiet"
      isBusy={change.isPending}
      aria-label={`${words} ${one}`}
      onClick={() => void send(change, [one])}
    >
      {words}
    </Button>
  )
  const now = reached(names, bundle)
  return (
    <section>
      <h3 className="mb-1 text-14 font-semibold">Models</h3>
      <p className="mb-2 text-13 text-ink-2">
        {now.length === 0
          ? 'End users on this bundle can’t use any model. Allow a name or pattern below.'
          : `End users on this bundle can use ${now.length} of ${names.length} models. Denied patterns override allowed patterns.`}
      </p>
      <Patterns title="Allowed" patterns={bundle.allow} action={may ? actionOf('Deny', deny) : null} />
      <Patterns title="Denied" patterns={bundle.deny} action={may ? actionOf('Allow', allow) : null} />
      {may && (
        <form
          className="mt-3 flex flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (fault === null && pattern !== '') void send(allow, [pattern])
          }}
        >
          <input
            aria-label="Name or pattern"
            aria-invalid={fault !== null || undefined}
            className={classNames(inputClass, 'max-w-64 flex-1')}
            placeholder="acme/*"
            value={pattern}
            list="patterns"
            maxLength={129}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setPattern(event.target.value)}
          />
          <datalist id="patterns">
            {patternsOf(names).map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <Button type="submit" disabled={pattern === '' || fault !== null} isBusy={allow.isPending}>
            Allow
          </Button>
          <Button
            disabled={pattern === '' || fault !== null}
            isBusy={deny.isPending}
            onClick={() => void send(deny, [pattern])}
          >
            Deny
          </Button>
          <CopyAs operation="bundles.allow" input={input} />
          <CopyAs operation="bundles.deny" input={input} words="API request to deny the models" />
          <p className="w-full text-13 text-ink-2" role="status">
            {fault !== null && `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`}
            {means && (means.length === 0 ? 'No models match.' : `Matches ${means.join(', ')}.`)}
          </p>
        </form>
      )}
      {error && <FailureNote error={error} />}
    </section>
  )
}

function Patterns({
  action,
  patterns,
  title,
}: {
  readonly title: string
  readonly patterns: readonly string[]
  readonly action: ((pattern: string) => ReactNode) | null
}): ReactNode {
  if (patterns.length === 0) return null
  return (
    <>
      <h4 className="mt-2 text-13 text-ink-3">{title}</h4>
      <ul>
        {patterns.map((one) => (
          <li key={one} className="flex min-h-9 items-center justify-between gap-3 border-b border-line">
            <bdi className="truncate font-mono text-13" title={one}>
              {one}
            </bdi>
            {action?.(one)}
          </li>
        ))}
      </ul>
    </>
  )
}
