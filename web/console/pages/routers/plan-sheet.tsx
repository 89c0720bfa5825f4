/** A dry run: the targets of a request in order, their costs, and why others are skipped. */
import { useState, type ReactNode } from 'react'
import type { RoutersPlanInput } from '#sdk/generated/routers.ts'
import type { PlannedTarget, RoutePlan } from '#sdk/generated/types.ts'
import { FormBody, SelectField, TextAreaField, TextField, useForm } from '#web/ui/form.tsx'
import { Segments } from '#web/ui/choices.tsx'
import { Sheet } from '#web/ui/overlays.tsx'
import { Note, State } from '#web/ui/state.tsx'
import { Count, Duration, Money } from '#web/ui/values.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { useBundleSlugs, useNames } from '../../name-suggestions.ts'
import { useSearchTexts, useSetSearch } from '../../search.ts'
import { policyWords } from './policy-words.ts'

type Values = {
  name: string
  of: string
  requestId: string
  wire: string
  text: string
  endUserId: string
  bundle: string
}

export function PlanSheet({ name }: { readonly name: string }): ReactNode {
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
      ...(values.name.trim() === '' && { name: 'Of a router or a model.' }),
      ...(values.of === 'past' &&
        !values.requestId.trim().startsWith('req_') && { requestId: 'The id of a call, like req_…' }),
      ...(values.of === 'body' && bodyOf(values.text) === null && { text: 'It is no JSON object.' }),
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
      title="Plan a call"
      about="Decided by what decides calls, as of now. Nothing is sent, held or kept."
    >
      <div className="flex flex-col gap-6">
        <FormBody form={form} action="Plan the call">
          <TextField form={form} name="name" label="Name" suggestions={names} maxLength={128} />
          <div className="flex flex-col gap-1">
            <span className="text-13 font-medium">What is asked</span>
            <div>
              <Segments
                label="What is asked"
                value={values.of as 'text'}
                options={[
                  ['text', 'A text'],
                  ['body', 'A body'],
                  ['past', 'A past call'],
                ]}
                onChange={(of) => form.set('of', of)}
              />
            </div>
          </div>
          {values.of === 'past' ? (
            <TextField
              form={form}
              name="requestId"
              label="Id of the call"
              help="Its wire, size, person and bundle are taken. What it said is not kept."
              placeholder="req_…"
              maxLength={64}
            />
          ) : (
            <>
              <TextAreaField
                form={form}
                name="text"
                label={values.of === 'body' ? 'Body that a client would send' : 'Text of the user'}
                rows={values.of === 'body' ? 8 : 3}
                isMono={values.of === 'body'}
              />
              {values.of === 'body' && (
                <SelectField
                  form={form}
                  name="wire"
                  label="Its format"
                  options={[
                    ['chat', 'Chat completions'],
                    ['responses', 'Responses'],
                    ['messages', 'Messages'],
                    ['generate', 'Generate content'],
                  ]}
                />
              )}
              <div className="grid gap-4 phone:grid-cols-2">
                <TextField
                  form={form}
                  name="endUserId"
                  label="Person"
                  help="Left out: nobody in particular."
                  maxLength={256}
                  isOptional
                />
                <SelectField
                  form={form}
                  name="bundle"
                  label="Bundle"
                  options={[
                    ['', 'The person’s, or the default'],
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
        {plan.refusal ? 'It would be refused' : <Sentence target={plan.targets[taken]} />}
      </h3>
      {plan.targets.length > 0 && (
        <p className="mb-3 text-13 text-ink-2">
          <Count of={plan.inputTokens} /> tokens of input, as the gateway estimates them.{' '}
          {plan.router === null
            ? 'Sources in their order.'
            : `The router takes: ${policyWords(plan.policy).toLowerCase()}.`}
        </p>
      )}
      {plan.refusal && (
        <Note tone="negative" title={plan.refusal.code}>
          <span className="wrap-anywhere">{plan.refusal.message}</span>
        </Note>
      )}
      <ol aria-label="Targets in the order in which they are tried">
        {plan.targets.map((target, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- one target may stand there twice
          <Target key={at} target={target} place={at + 1} isTaken={at === taken && plan.refusal === null} />
        ))}
      </ol>
    </section>
  )
}

function Sentence({ target }: { readonly target: PlannedTarget | undefined }): ReactNode {
  if (!target) return 'No target can be taken'
  return (
    <>
      <bdi>{target.provider}</bdi> would answer with <bdi className="wrap-anywhere">{target.model}</bdi>
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
            <State tone="positive" words="Taken" />
          ) : skip ? (
            <State tone="neutral" words="Skipped" />
          ) : (
            <State tone="neutral" words="Next, if those before fail" />
          )}
        </p>
        {path.length > 1 && <p className="text-13 text-ink-3 wrap-anywhere">{path.join(' → ')}</p>}
        {skip && <p className="text-13 wrap-anywhere">{skip.reason}</p>}
        <p className="flex flex-wrap gap-x-4 text-13 text-ink-2">
          <span>
            expected <Money micros={expectedMicros} reason="It has no price" />
          </span>
          <span>
            held <Money micros={worstMicros} reason="It has no price" />
          </span>
          <span>
            first token <Duration ms={firstTokenMs} reason="Nothing is known yet" />
          </span>
          <span>{inFlight} in flight</span>
        </p>
        {circuit.state !== 'closed' && (
          <p className="text-13 text-held wrap-anywhere">
            Calls are kept away: {circuit.why ?? 'it has failed lately'}
          </p>
        )}
        {lost.length > 0 && (
          <p className="text-13 text-ink-2 wrap-anywhere">
            Left out or changed on its way: {lost.join(', ')}
          </p>
        )}
      </div>
    </li>
  )
}
