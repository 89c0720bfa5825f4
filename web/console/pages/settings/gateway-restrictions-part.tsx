import { useState, type ReactNode } from 'react'
import type { Gateway } from '#sdk/generated/types.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { CheckField, FormBody, SelectField, TextAreaField, TextField, useForm } from '#web/ui/form.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { wireFormats } from '../../calls/wire-formats.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, OnceRead, useRevised, type Revised } from '../../forms-with-revision.tsx'
import { LimitsSection } from '../../limits/limits-section.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { byKind, faultsOf, inputOf, valuesOf, type GatewayValues } from './gateway-settings-as-form-fields.ts'
import { WeekField } from './opening-hours-field.tsx'

export function GatewayPart({
  app,
}: {
  readonly app: { readonly slug: string; readonly name: string }
}): ReactNode {
  const query = useRevised('gateway.show', {})
  const { data, error, refetch } = query
  const [saved, setSaved] = useState(0)
  if (error && !data)
    return (
      <FailureNote
        error={error}
        title="The gateway settings couldn't be loaded."
        onRetry={() => void refetch()}
      />
    )
  if (!data) return <Skeleton className="h-96" />
  return (
    <div className="max-w-prose">
      <p className="mb-4 text-ink-2">
        Choose which requests the gateway of <bdi className="font-medium text-ink">{app.name}</bdi> accepts.
        Settings apply to both modes, starting with the next request.
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
      <ApplicationLimits app={app} gateway={data} onSaved={() => setSaved((count) => count + 1)} />
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

function ApplicationLimits({
  app,
  gateway: {
    ifMatch,
    value: { limits, limitUses },
  },
  onSaved,
}: {
  readonly app: { readonly name: string }
  readonly gateway: Revised<Gateway>
  readonly onSaved: () => void
}): ReactNode {
  const may = useMay('developer')
  const set = useChange('gateway.set')
  return (
    <LimitsSection
      title={
        <>
          Limits of <bdi>{app.name}</bdi>
        </>
      }
      about="Each limit counts the usage of all end users of this application. Live and test usage is counted separately."
      empty="The application has no limits."
      note="A request counts in the window in which it is admitted."
      limits={limits}
      mayChange={may}
      ifMatch={ifMatch}
      save={async (next, revision) => {
        await set.mutateAsync({ limits: next, ...revision })
        // The limits have the same revision as the other settings, so the form below needs the new revision.
        onSaved()
      }}
      operation="gateway.set"
      inputOf={(next) => ({ limits: next })}
      uses={limitUses.filter(({ tag }) => tag === null)}
    />
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
  const set = useChange('gateway.set')
  const form = useForm<GatewayValues>({
    draft: `gateway ${stored.application}`,
    initial: valuesOf(stored),
    check: faultsOf,
    async send(values) {
      await set.mutateAsync({ ...inputOf(values, stored), ...ifMatch })
      toast('Saved. The settings apply to new requests.')
      await onSaved()
    },
  })
  return (
    <FormBody form={form} action="Save settings" busyAction="Saving" isDisabled={!may || !form.isChanged}>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-13 font-medium">Accepted wire formats</legend>
        {wireFormats.map(({ wire, words, path }) => (
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
        <p className="text-13 text-ink-3">Requests in other wire formats return 404 wire_not_served.</p>
        {form.faults.chat !== undefined && (
          <p role="alert" className="text-13 text-negative">
            {form.faults.chat}
          </p>
        )}
      </fieldset>
      <TextAreaField
        form={form}
        name="models"
        label="Accepted models"
        help="Enter one model name or prefix followed by * per line. Other models are treated as unknown and are not listed. The rules of bundles still apply. Leave empty to accept all."
        rows={3}
        isMono
        isOptional
      />
      <TextAreaField
        form={form}
        name="origins"
        label="Allowed web origins"
        help="Enter one origin per line, such as https://app.example.com, or * for any. Leave empty to block browsers (CORS)."
        rows={3}
        isMono
        isOptional
      />
      <TextAreaField
        form={form}
        name="addresses"
        label="Allowed network addresses"
        help="Enter one address or range, such as 192.0.2.0/24, per line. Requests from other addresses return 403 address_not_allowed. Leave empty to allow all."
        rows={3}
        isMono
        isOptional
      />
      <WeekField form={form} />
      <TextField
        form={form}
        name="defaultMaxTokens"
        label="Default maximum of output tokens"
        help="Applies to requests that state no maximum of output tokens. The gateway holds money for the whole maximum and sends the maximum to the provider. If empty, the hold covers 8,192 tokens for a non-streaming response, or initially 2,048 for a stream."
        inputMode="numeric"
        className="figures max-w-48"
        isOptional
      />
      <TextField
        form={form}
        name="holdWaitMs"
        label="Maximum wait for held money, in milliseconds"
        help="A request waits up to this time for money that other requests hold. If the money is not released, the request returns 429 balance_held. Enter 0 to reject the request immediately. Leave empty for the server's default."
        inputMode="numeric"
        className="figures max-w-48"
        isOptional
      />
      <TextField
        form={form}
        name="filesMax"
        label="Maximum files of an end user"
        help="Maximum number of files that an end user can have at /v1/files, counted separately in live and test mode. Enter 0 to reject uploads. Leave empty for 100."
        inputMode="numeric"
        className="figures max-w-48"
        isOptional
      />
      <TextField
        form={form}
        name="fileBytesMax"
        label="Maximum size of an end user's files, in bytes"
        help="Applies to all files of an end user together, counted separately in live and test mode. Leave empty for 536,870,912 (512 MiB)."
        inputMode="numeric"
        className="figures max-w-48"
        isOptional
      />
      <TextAreaField
        form={form}
        name="storagePrefixes"
        label="Buckets in Google Cloud Storage"
        help="Enter one bucket or folder per line, such as gs://acme-manuals/. Every end user can read all files in these buckets and folders, in requests to Vertex AI. Leave empty to reject gs:// addresses."
        rows={3}
        isMono
        isOptional
      />
      <SelectField
        form={form}
        name="providerTools"
        label="Tools that the provider runs"
        help="Applies if a request offers a tool that the provider runs, such as web search. If the tool is sent with a maximum number of uses, money is held for these uses. If the price of a use is not known, the tool is removed."
        options={[
          ['bounded', 'Send the tool with a maximum number of uses'],
          ['drop', 'Remove the tool and list it in x-svc-conversion-lost'],
          ['refuse', 'Reject with 400 unsupported_for_route'],
          ...(valuesOf(stored).providerTools === byKind
            ? [[byKind, 'A separate rule for each kind of tool, set with the API'] as const]
            : []),
        ]}
      />
      <SelectField
        form={form}
        name="conversion"
        label="Unsupported fields"
        help="Applies if a request is converted to another wire format that lacks a field of the request."
        options={[
          ['lenient', 'Omit the field and list it in x-svc-conversion-lost'],
          ['strict', 'Reject with 400 unsupported_for_route'],
        ]}
      />
      <CheckField
        form={form}
        name="passTraceparent"
        label="Forward traceparent and tracestate to the provider"
        help="The provider's spans then join the client's trace (W3C Trace Context). If this box isn't selected, the gateway doesn't forward these headers."
      />
      <ChangedMeanwhile
        failure={form.failure}
        onReload={() => {
          form.reset()
          void onSaved()
        }}
      />
      {!may && <p className="text-13 text-ink-3">Editing these settings requires the developer role.</p>}
      <div>
        <CopyAs operation="gateway.set" input={inputOf(form.values, stored)} />
      </div>
    </FormBody>
  )
}
