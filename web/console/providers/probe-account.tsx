import { useState, type ReactNode } from 'react'
import type { Probe, ProviderAccount } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { inputClass } from '#web/ui/form.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Duration, Id, Money, Nothing } from '#web/ui/formatted-values.tsx'
import { useChange } from '../operations/use-operation.ts'
import { CopyAs } from '../copy-as-code.tsx'
import { useModelsOf } from '../name-suggestions.ts'
import { useScope } from '../application-and-mode.ts'
import { useMay } from '../sign-in/member-session.ts'

export function ProbePart({ account: { kind, label } }: { readonly account: ProviderAccount }): ReactNode {
  const { mode } = useScope()
  const may = useMay('developer')
  const [model, setModel] = useState('')
  const models = useModelsOf(label)
  const probe = useChange('providers.probe')
  const input = { id: label, ...(model.trim() !== '' && { model: model.trim() }) }
  const why =
    kind === 'simulator'
      ? 'The simulator always responds, so it needs no probe.'
      : mode === 'test'
        ? 'Test mode calls no provider. Switch to live mode to probe the account.'
        : null
  return (
    <section>
      <h3 className="text-14 font-semibold">Probe</h3>
      <p className="mb-2 text-13 text-ink-2">
        {why ??
          'Sends one small request to the provider with the account’s API key. The provider charges you for this request.'}
      </p>
      {why === null && (
        <div className="flex flex-col gap-3">
          <form
            className="flex flex-wrap items-center gap-2"
            onSubmit={(event) => {
              event.preventDefault()
              probe.mutate(input)
            }}
          >
            <input
              aria-label="Model to probe"
              className={classNames(inputClass, 'max-w-64 flex-1')}
              value={model}
              onChange={(event) => setModel(event.target.value)}
              placeholder={models.length > 0 ? 'Cheapest model' : 'Model ID'}
              list="models-to-probe"
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
            />
            <datalist id="models-to-probe">
              {models.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
            <Button type="submit" disabled={!may} isBusy={probe.isPending}>
              Probe {label.length > 24 ? 'account' : label}
            </Button>
            <CopyAs operation="providers.probe" input={input} />
          </form>
          {probe.error && <FailureNote error={probe.error} />}
          {probe.data && <Answered probe={probe.data} />}
        </div>
      )}
    </section>
  )
}

function Answered({ probe }: { readonly probe: Probe }): ReactNode {
  const { costMicros, error, inputTokens, latencyMs, model, ok, outputTokens, status } = probe
  return (
    <div role="status" className="flex flex-col gap-3">
      <Facts
        facts={[
          [
            'Result',
            <State
              key="answer"
              tone={ok ? 'positive' : 'negative'}
              words={`${ok ? 'Succeeded' : 'Failed'}${status === null ? '' : ` with status ${status}`}`}
            />,
          ],
          ['Model', <Id key="model" text={model} />],
          ['Duration', <Duration key="took" ms={latencyMs} />],
          [
            'Tokens',
            <span key="tokens">
              <Count of={inputTokens} reason="The provider returned no usage" /> in,{' '}
              <Count of={outputTokens} reason="The provider returned no usage" /> out
            </span>,
          ],
          [
            'Cost',
            <Money
              key="cost"
              micros={costMicros}
              reason="The provider returned no usage, or the model has no price"
            />,
          ],
        ]}
      />
      {error && (
        <div className="text-14">
          <p className="wrap-anywhere">{error.message}</p>
          <p className="mt-2 text-13 text-ink-3">Provider response, with secrets and addresses removed</p>
          {error.said === null ? (
            <Nothing reason="The response was empty" />
          ) : (
            <pre
              tabIndex={0}
              aria-label="Provider response"
              role="region"
              className="mt-1 max-h-60 overflow-auto rounded border border-line bg-surface-2 p-3 text-13 whitespace-pre-wrap wrap-anywhere"
            >
              <bdi>{error.said}</bdi>
            </pre>
          )}
        </div>
      )}
    </div>
  )
}
