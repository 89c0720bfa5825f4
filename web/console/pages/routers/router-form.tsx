import { useState, type ReactNode } from 'react'
import type { Router } from '#sdk/generated/types.ts'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'
import { modelNameFault } from '../../help-and-errors-of-fields.ts'
import { policies, type Policy } from './router-in-words.ts'
import {
  draftOfTarget,
  isWhole,
  newTarget,
  numbers,
  targetFault,
  targetOf,
  timeoutNames,
  timeoutTexts,
  type TargetDraft,
} from './target-as-form-fields.ts'
import { TargetList } from './edit-target-list.tsx'

type Values = {
  name: string
  policy: string
  stickyBy: string
  targets: string
  withinMs: string
  attemptsMax: string
  retriesPerTarget: string
  onContextLength: string
  alsoMovesOn: string
  neverMovesOn: string
} & Record<(typeof timeoutNames)[number], string>

const numberFields = ['withinMs', 'attemptsMax', 'retriesPerTarget', ...timeoutNames] as const

export function RouterForm({
  onCancel,
  onDone,
  onReload = () => {},
  router: read,
}: {
  readonly router?: Revised<Router>
  readonly onCancel: () => void
  readonly onDone: (name: string) => void
  readonly onReload?: () => void
}): ReactNode {
  const [router] = useState(read)
  const add = useChange('routers.add')
  const [initial] = useState(() => valuesOf(router?.value))
  const isNew = router === undefined
  const form = useForm<Values>({
    draft: router ? `router ${router.value.name}` : 'new router',
    initial,
    check: checked,
    async send(values) {
      await add.mutateAsync({ ...inputOf(values, isNew), ...router?.ifMatch, isNew })
      toast(router ? `Saved ${values.name}.` : `Added ${values.name}.`)
      onDone(values.name)
    },
    ifExists: isNew
      ? { name: 'name', fault: 'A router with this name already exists. Enter another name.' }
      : undefined,
    fieldOf: {
      'attempts.alsoMovesOn': 'alsoMovesOn',
      'attempts.neverMovesOn': 'neverMovesOn',
      'attempts.attemptsMax': 'attemptsMax',
      'attempts.withinMs': 'withinMs',
      'attempts.retriesPerTarget': 'retriesPerTarget',
      'attempts.timeouts.firstByteMs': 'firstByteMs',
    },
  })
  const { values } = form
  const targets = targetsOf(values)
  return (
    <FormBody form={form} action={router ? 'Save router' : 'Add router'} onCancel={onCancel}>
      {!router && (
        <TextField
          form={form}
          name="name"
          label="Name"
          help="The name that end users request, such as acme/smart. The name must not match a model name."
          maxLength={128}
        />
      )}
      <SelectField
        form={form}
        name="policy"
        label="Policy"
        help={policies.find(([policy]) => policy === values.policy)?.[2]}
        options={policies.map(([policy, words]) => [policy, words])}
      />
      {values.policy === 'sticky' && (
        <SelectField
          form={form}
          name="stickyBy"
          label="Sticky by"
          options={[
            ['end_user', 'End user'],
            ['session', 'Session'],
          ]}
        />
      )}
      <TargetList
        targets={targets}
        isWeighted={values.policy === 'weighted'}
        fault={form.faults.targets}
        onChange={(next) => form.set('targets', JSON.stringify(next))}
      />
      <details>
        <summary className="cursor-pointer text-13 text-ink-2">Attempts and timeouts</summary>
        <div className="mt-3 grid gap-4 phone:grid-cols-2">
          <Number form={form} name="attemptsMax" label="Maximum attempts per request" help="Defaults to 5." />
          <Number
            form={form}
            name="retriesPerTarget"
            label="Retries per target"
            help="Retries of the same target if a 429 or 5xx response arrives within 5 s. Defaults to 1."
          />
          <Number
            form={form}
            name="withinMs"
            label="Time limit for starting attempts, ms"
            help="Defaults to 120000."
          />
          <SelectField
            form={form}
            name="onContextLength"
            label="If the request is too long for a target"
            options={[
              ['next', 'Try a target with a larger context'],
              ['fail', 'Reject the request'],
            ]}
          />
          <Number form={form} name="connectMs" label="Connect timeout, ms" help="Defaults to 10000." />
          <Number
            form={form}
            name="firstByteMs"
            label="First byte timeout, ms"
            help="If empty, this timeout is a third of the time limit for starting attempts, and at most 120000 ms. The last target gets 120000 ms. Non-streaming responses of reasoning models get more time."
          />
          <Number
            form={form}
            name="firstTokenMs"
            label="First token timeout, ms"
            help="Applies only to streams. If empty, this timeout is at least 10000 ms. Reasoning models and the last target get no limit."
          />
          <Number form={form} name="idleMs" label="Timeout between chunks, ms" help="Defaults to 120000." />
          <Number form={form} name="totalMs" label="Total timeout, ms" help="Defaults to 3600000." />
          <TextField
            form={form}
            name="alsoMovesOn"
            label="Statuses below 500 after which the next target is tried"
            help="HTTP statuses, such as 409."
            isOptional
          />
          <TextField
            form={form}
            name="neverMovesOn"
            label="Statuses after which no other target is tried"
            help="HTTP statuses, such as 503."
            isOptional
          />
        </div>
      </details>
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="routers.add" input={inputOf(values, isNew)} />
      </div>
    </FormBody>
  )
}

function Number(props: {
  readonly form: Parameters<typeof TextField<Values>>[0]['form']
  readonly name: (typeof numberFields)[number]
  readonly label: string
  readonly help: string
}): ReactNode {
  return <TextField {...props} inputMode="numeric" isOptional />
}

function targetsOf({ targets }: Values): readonly TargetDraft[] {
  return JSON.parse(targets) as readonly TargetDraft[]
}

function valuesOf(router: Router | undefined): Values {
  const text = (number: number | undefined): string => (number === undefined ? '' : String(number))
  const attempts = router?.attempts
  return {
    name: router?.name ?? '',
    policy: router?.policy ?? 'priority',
    stickyBy: router?.stickyBy ?? 'end_user',
    targets: JSON.stringify(router?.targets.map(draftOfTarget) ?? [newTarget()]),
    withinMs: text(attempts?.withinMs),
    attemptsMax: text(attempts?.attemptsMax),
    retriesPerTarget: text(attempts?.retriesPerTarget),
    onContextLength: attempts?.onContextLength ?? 'next',
    alsoMovesOn: attempts?.alsoMovesOn.join(', ') ?? '',
    neverMovesOn: attempts?.neverMovesOn.join(', ') ?? '',
    ...timeoutTexts(attempts?.timeouts ?? {}),
  }
}

function checked(values: Values): Partial<Record<keyof Values, string>> {
  const faults: Partial<Record<keyof Values, string>> = {}
  const nameFault = modelNameFault(values.name)
  if (nameFault !== undefined) faults.name = nameFault
  const targets = targetsOf(values)
  const at = targets.findIndex((target) => targetFault(target) !== undefined)
  const target = targets[at]
  if (target) faults.targets = `Target ${at + 1}: ${targetFault(target) ?? ''}`
  for (const name of numberFields) {
    if (values[name] !== '' && !isWhole(values[name])) faults[name] = 'Enter a whole number.'
  }
  for (const name of ['alsoMovesOn', 'neverMovesOn'] as const) {
    if (!/^(?:\s*[1-5]\d\d\s*(?:,|$))*$/.test(values[name]))
      faults[name] = 'Enter HTTP statuses, separated by commas.'
  }
  return faults
}

/** @param isNew if false, an empty field of the attempts resets the setting to its default */
function inputOf(
  values: Values,
  isNew: boolean,
): {
  name: string
  policy: Policy
  stickyBy?: 'session'
  targets: ReturnType<typeof targetOf>[]
  attempts?: object | null
} {
  const { attemptsMax, retriesPerTarget, withinMs } = values
  const timeouts = numbers({
    connectMs: values.connectMs,
    firstByteMs: values.firstByteMs,
    firstTokenMs: values.firstTokenMs,
    idleMs: values.idleMs,
    totalMs: values.totalMs,
  })
  const also = statuses(values.alsoMovesOn)
  const never = statuses(values.neverMovesOn)
  const attempts = {
    ...numbers({ attemptsMax, retriesPerTarget, withinMs }),
    ...(values.onContextLength === 'fail' && { onContextLength: 'fail' as const }),
    ...(also.length > 0 && { alsoMovesOn: also }),
    ...(never.length > 0 && { neverMovesOn: never }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  }
  return {
    name: values.name,
    policy: values.policy as Policy,
    ...(values.policy === 'sticky' && { stickyBy: values.stickyBy as 'session' }),
    targets: targetsOf(values).map(targetOf),
    ...(Object.keys(attempts).length > 0 ? { attempts } : !isNew && { attempts: null }),
  }
}

function statuses(text: string): number[] {
  return [...text.matchAll(/\d{3}/g)].map(([status]) => globalThis.Number(status))
}
