import { useState, type ReactNode } from 'react'
import type { Gateway } from '#sdk/generated/types.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { CheckField, FormBody, SelectField, TextAreaField, TextField, useForm } from '#web/ui/form.tsx'
import { Facts } from '#web/ui/layout.tsx'
import { Skeleton } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { ChangedMeanwhile, OnceRead, useRevised, type Revised } from '../../revised.tsx'
import { useMay } from '../../session.ts'
import { faultsOf, inputOf, valuesOf, wires, type GatewayValues } from './gateway-values.ts'
import { WeekField } from './week-field.tsx'

export function GatewayPart({
  app,
}: {
  readonly app: { readonly slug: string; readonly name: string }
}): ReactNode {
  const query = useRevised('gateway.show', {})
  const { data, error, refetch } = query
  const [saved, setSaved] = useState(0)
  if (error) return <FailureNote error={error} title="It cannot be shown." onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-96" />
  return (
    <div className="max-w-prose">
      <p className="mb-4 text-ink-2">
        What the gateway of <bdi className="font-medium text-ink">{app.name}</bdi> answers. A narrowing holds
        for calls of both modes, from the next one on.
      </p>
      <Facts
        className="mb-8"
        facts={[
          [
            'Address',
            <code key="address" className="text-13">
              {data.value.gateway}
            </code>,
          ],
          [
            'Hosts',
            <span key="hosts" className="flex flex-wrap gap-x-4">
              {data.value.hosts.map((host) => (
                <code key={host} className="text-13">
                  {host}
                </code>
              ))}
            </span>,
          ],
        ]}
      />
      <OnceRead noun="gateway" query={query} waiting={<Skeleton className="h-96" />}>
        {(revised) => (
          <GatewayForm
            key={`${app.slug} ${saved}`}
            revised={revised}
            onSaved={async () => {
              await refetch()
              setSaved((count) => count + 1)
            }}
          />
        )}
      </OnceRead>
    </div>
  )
}

function GatewayForm({
  onSaved,
  revised,
}: {
  readonly revised: Revised<Gateway>
  readonly onSaved: () => Promise<void>
}): ReactNode {
  const may = useMay('developer')
  const [{ ifMatch, value: stored }] = useState(revised)
  const set = useChange('gateway.set', { touches: ['doctor'] })
  const form = useForm<GatewayValues>({
    draft: `gateway ${stored.application}`,
    initial: valuesOf(stored),
    check: faultsOf,
    async send(values) {
      await set.mutateAsync({ ...inputOf(values, stored), ...ifMatch })
      toast('It holds from the next call on.')
      await onSaved()
    },
  })
  return (
    <FormBody
      form={form}
      action="Save what it answers"
      busyAction="Saving"
      isDisabled={!may || !form.isChanged}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-13 font-medium">Wires</legend>
        {wires.map(([wire, words, path]) => (
          <CheckField
            key={wire}
            form={form}
            name={wire}
            label={
              <>
                {words} <code className="text-13 text-ink-3">{path}</code>
              </>
            }
          />
        ))}
        <p className="text-13 text-ink-3">A call of another wire is 404 wire_not_served.</p>
        {form.faults.chat !== undefined && (
          <p role="alert" className="text-13 text-negative">
            {form.faults.chat}
          </p>
        )}
      </fieldset>
      <TextAreaField
        form={form}
        name="models"
        label="Names that are answered"
        help="One a line: names, or beginnings with * after them. Besides what bundles allow; another name is unknown, and not listed. Empty: all."
        rows={3}
        isMono
        isOptional
      />
      <TextAreaField
        form={form}
        name="origins"
        label="Web pages that may call"
        help="One origin a line, such as https://app.example.com, or * for any. Empty: no browser reads an answer (CORS)."
        rows={3}
        isMono
        isOptional
      />
      <TextAreaField
        form={form}
        name="addresses"
        label="Network addresses that are answered"
        help="One a line: an address or a range such as 192.0.2.0/24. A call from another is 403 address_not_allowed. Empty: all."
        rows={3}
        isMono
        isOptional
      />
      <WeekField form={form} />
      <TextField
        form={form}
        name="defaultMaxTokens"
        label="Most output tokens of a call that names none"
        help="Held for whole, and told to the provider. Empty: 16,384 are held for a whole answer and 2,048 for a stream at first."
        inputMode="numeric"
        className="figures max-w-48"
        isOptional
      />
      <TextField
        form={form}
        name="holdWaitMs"
        label="Milliseconds that a call waits for money held by others"
        help="Then it is 429 balance_held. 0: not at all. Empty: as long as the server is set to."
        inputMode="numeric"
        className="figures max-w-48"
        isOptional
      />
      <SelectField
        form={form}
        name="providerTools"
        label="Tools that the provider would run"
        help="A request offers web search, say, to a model whose provider has none."
        options={[
          ['drop', 'Taken out, and named in x-svc-conversion-lost'],
          ['refuse', 'Refused: 400 unsupported_for_route'],
        ]}
      />
      <SelectField
        form={form}
        name="conversion"
        label="Fields that another wire does not have"
        help="A call of one wire is answered by a provider of another."
        options={[
          ['lenient', 'Left out, and named in x-svc-conversion-lost'],
          ['strict', 'Refused: 400 unsupported_for_route'],
        ]}
      />
      <CheckField
        form={form}
        name="passTraceparent"
        label="Send traceparent and tracestate on to the provider"
        help="Its spans then join the client's trace (W3C Trace Context). Without it, the provider learns nothing of it."
      />
      <ChangedMeanwhile
        failure={form.failure}
        onReload={() => {
          form.reset()
          void onSaved()
        }}
      />
      {!may && <p className="text-13 text-ink-3">Changing it takes the role developer.</p>}
      <div>
        <CopyAs operation="gateway.set" input={inputOf(form.values, stored) as Record<string, unknown>} />
      </div>
    </FormBody>
  )
}
