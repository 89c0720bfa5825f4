import { useState, type ReactNode } from 'react'
import type { RoutersPlanInput } from '#sdk/generated/routers.ts'
import type { PlannedTarget, RoutePlan } from '#sdk/generated/types.ts'
import { FormBody, SelectField, TextAreaField, TextField, useForm } from '#web/ui/form.tsx'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, Duration, Money } from '#web/ui/formatted-values.tsx'
import { wireFormats } from '../../calls/wire-formats.ts'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useBundleSlugs, useNames } from '../../name-suggestions.ts'
import { useSearchTexts, useSetSearch } from '../../url-parameters.ts'
import { policyWords } from './router-in-words.ts'

type Values = {
  name: string
  of: string
  requestId: string
  wire: string
  text: string
  endUserId: string
  bundle: string
}

export function DryRunSheet({ name }: { readonly name: string }): ReactNode {
  const setSearch = useSetSearch()
  const { request } = useSearchTexts()
  const names = useNames()
  const bundles = useBundleSlugs()
  const [plan, setPlan] = useState<RoutePlan | null>(null)
  const run = useChange('routers.plan')
  const form = useForm<Values>({
    draft: `plan ${name}`,
    initial: {
      name,
      of: request === undefined ? 'text' : 'past',
      requestId: request ?? '',
      wire: 'chat',
      text: 'Hello',
      endUserId: '',
      bundle: '',
    },
    check: (values) => ({
      ...(values.name.trim() === '' && { name: 'Enter a router or a model.' }),
      ...(values.of === 'past' &&
        !values.requestId.trim().startsWith('req_') && { requestId: 'Enter a request ID, such as req_….' }),
      ...(values.of === 'body' && bodyOf(values.text) === null && { text: 'Enter a JSON object.' }),
    }),
    async send(values) {
      setPlan(await run.mutateAsync(inputOf(values)))
    },
    fieldOf: { request: 'text' },
  })
  const { values } = form
  return (
    <Sheet
      isOpen
      onClose={() => setSearch({ plan: null, request: null })}
      title="Plan request"
      about="See how the gateway would route a request now. Nothing is sent, held or stored."
    >
      <div className="flex flex-col gap-6">
        <FormBody form={form} action="Plan request">
          <TextField form={form} name="name" label="Router or model" suggestions={names} maxLength={128} />
          <div className="flex flex-col gap-1">
            <span className="text-13 font-medium">Request</span>
            <div>
              <Segments
                label="Request"
                value={values.of as 'text'}
                options={[
                  ['text', 'Text'],
                  ['body', 'Body'],
                  ['past', 'Past request'],
                ]}
                onChange={(of) => form.set('of', of)}
              />
            </div>
          </div>
          {values.of === 'past' ? (
            <TextField
              form={form}
              name="requestId"
              label="Request ID"
              help="The preview uses the wire format, size, end user and bundle of this request. The text of the request is not stored."
              placeholder="req_…"
              maxLength={64}
            />
          ) : (
            <>
              <TextAreaField
                form={form}
                name="text"
                label={values.of === 'body' ? 'Request body' : 'User message'}
                rows={values.of === 'body' ? 8 : 3}
                isMono={values.of === 'body'}
              />
              {values.of === 'body' && (
                <SelectField
                  form={form}
                  name="wire"
                  label="Wire format"
                  options={wireFormats.map(({ wire, words }) => [wire, words] as const)}
                />
              )}
              <div className="grid gap-4 phone:grid-cols-2">
                <TextField
                  form={form}
                  name="endUserId"
                  label="End user"
                  help="Leave empty for no specific end user."
                  maxLength={256}
                  isOptional
                />
                <SelectField
                  form={form}
                  name="bundle"
                  label="Bundle"
                  options={[
                    ['', 'Bundle of the end user, or the default bundle'],
                    ...bundles.map((slug) => [slug, slug] as const),
                  ]}
                />
              </div>
            </>
          )}
          <div>
            <CopyAs operation="routers.plan" input={inputOf(values)} />
          </div>
        </FormBody>
        {plan && <Plan plan={plan} />}
      </div>
    </Sheet>
  )
}

function bodyOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

function inputOf(values: Values): RoutersPlanInput {
  const name = values.name.trim()
  if (values.of === 'past') return { name, requestId: values.requestId.trim() }
  const request =
    values.of === 'body'
      ? (bodyOf(values.text) ?? {})
      : { messages: [{ role: 'user', content: values.text }] }
  return {
    name,
    ...(values.of === 'body' && { wire: values.wire as 'chat' }),
    request,
    ...(values.endUserId.trim() !== '' && { endUserId: values.endUserId.trim() }),
    ...(values.bundle !== '' && { bundle: values.bundle }),
  }
}

function Plan({ plan }: { readonly plan: RoutePlan }): ReactNode {
  const taken = plan.targets.findIndex(({ skip }) => skip === null)
  return (
    <section aria-live="polite" data-plan={plan.name}>
      <h3 className="mb-1 text-16 font-semibold">
        {plan.refusal ? 'The request would be rejected' : <Sentence target={plan.targets[taken]} />}
      </h3>
      {plan.targets.length > 0 && (
        <p className="mb-3 text-13 text-ink-2">
          About <Count of={plan.inputTokens} /> input tokens, estimated by the gateway.{' '}
          {plan.router === null
            ? 'Sources are tried in order.'
            : `Router policy: ${policyWords(plan.policy).toLowerCase()}.`}
        </p>
      )}
      {plan.refusal && (
        <Note tone="negative" title={plan.refusal.code}>
          <span className="wrap-anywhere">{plan.refusal.message}</span>
        </Note>
      )}
      <ol aria-label="Targets in the order of attempts">
        {plan.targets.map((target, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a target may be listed twice
          <Target key={at} target={target} place={at + 1} isTaken={at === taken && plan.refusal === null} />
        ))}
      </ol>
    </section>
  )
}

function Sentence({ target }: { readonly target: PlannedTarget | undefined }): ReactNode {
  if (!target) return 'No target is available'
  return (
    <>
      <bdi>{target.provider}</bdi> would handle the request with{' '}
      <bdi className="wrap-anywhere">{target.model}</bdi>
    </>
  )
}

function Target({
  isTaken,
  place,
  target,
}: {
  readonly target: PlannedTarget
  readonly place: number
  readonly isTaken: boolean
}): ReactNode {
  const { circuit, expectedMicros, firstTokenMs, inFlight, lost, model, path, provider, skip, worstMicros } =
    target
  return (
    <li className="flex gap-3 border-b border-line py-3 text-14" data-target={place}>
      <span className="figures w-5 shrink-0 text-ink-3">{place}</span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="min-w-0 wrap-anywhere">
            <bdi className="font-medium">{provider}</bdi> <span className="text-ink-3">·</span>{' '}
            <bdi>{model}</bdi>
          </span>
          {isTaken ? (
            <State tone="positive" words="Selected" />
          ) : skip ? (
            <State tone="neutral" words="Skipped" />
          ) : (
            <State tone="neutral" words="Used if earlier targets fail" />
          )}
        </p>
        {path.length > 1 && <p className="text-13 text-ink-3 wrap-anywhere">{path.join(' → ')}</p>}
        {skip && <p className="text-13 wrap-anywhere">{skip.reason}</p>}
        <p className="flex flex-wrap gap-x-4 text-13 text-ink-2">
          <span>
            expected <Money micros={expectedMicros} reason="No price" />
          </span>
          <span>
            held <Money micros={worstMicros} reason="No price" />
          </span>
          <span>
            first token <Duration ms={firstTokenMs} reason="No data yet" />
          </span>
          <span>{inFlight} in flight</span>
        </p>
        {circuit.state !== 'closed' && (
          <p className="text-13 text-held wrap-anywhere">
            This target receives no requests: {circuit.why ?? 'recent requests failed'}
          </p>
        )}
        {lost.length > 0 && (
          <p className="text-13 text-ink-2 wrap-anywhere">
            Omitted or changed in conversion: {lost.join(', ')}
          </p>
        )}
      </div>
    </li>
  )
}
