/** The page does not store the credentials of the emitter. */
import type { ReactNode } from 'react'
import type { EmittersAddInput } from '#sdk/generated/emitters.ts'
import type { AddedEmitter } from '#sdk/generated/types.ts'
import { CheckField, FormBody, SelectField, TextField, useForm, type Faults } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { credentialFault, eventNameFault } from '../../help-and-errors-of-fields.ts'
import { customerIds, kindNames, kinds, type Kind } from './emitter-kinds.ts'

type Values = {
  readonly kind: Kind
  readonly name: string
  readonly url: string
  readonly credential: string
  readonly event: string
  readonly customerId: string
  readonly enabled: boolean
}

const initial: Values = {
  kind: 'webhook',
  name: '',
  url: '',
  credential: '',
  event: 'usage_recorded',
  customerId: '',
  enabled: true,
}

export function AddForm({
  onCancel,
  onDone,
}: {
  readonly onCancel: () => void
  readonly onDone: (emitter: AddedEmitter) => void
}): ReactNode {
  const add = useChange('emitters.add')
  const form = useForm<Values>({
    // The form contains a secret.
    draft: null,
    initial,
    check: faultsOf,
    async send(values) {
      const emitter = await add.mutateAsync(inputOf(values))
      toast(`Added ${emitter.name}`)
      onDone(emitter)
    },
    fieldOf: { apiToken: 'credential', apiKey: 'credential', eventType: 'event', eventName: 'event' },
  })
  const { values } = form
  const facts = kinds[values.kind]
  return (
    <FormBody
      form={form}
      action={`Add ${facts.name === 'Webhook' ? 'webhook' : facts.name}`}
      onCancel={onCancel}
    >
      <SelectField
        form={form}
        name="kind"
        label="Kind"
        help={facts.about}
        options={kindNames.map((kind) => [kind, kinds[kind].name])}
      />
      {facts.url !== 'none' && (
        <TextField
          form={form}
          name="url"
          label="URL"
          type="url"
          placeholder="https://billing.example.com/usage"
          help={
            facts.url === 'optional'
              ? 'Public https URL on port 443 or 8443. Leave empty for the vendor’s cloud.'
              : 'Public https URL on port 443 or 8443. The URL can’t be changed later.'
          }
          maxLength={2000}
          isOptional={facts.url === 'optional'}
        />
      )}
      {facts.credential && (
        <TextField
          form={form}
          name="credential"
          label={facts.credential[1]}
          type="password"
          autoComplete="new-password"
          help="Stored encrypted, never shown again, and sent only to the vendor."
          maxLength={4096}
        />
      )}
      {facts.event && (
        <TextField
          form={form}
          name="event"
          label={facts.event[1]}
          help="Event name that the vendor's meter expects."
          maxLength={200}
        />
      )}
      <TextField
        form={form}
        name="name"
        label="Name"
        help="Shown in the console. If empty, a webhook gets its URL as its name. Any other emitter gets its kind as its name."
        maxLength={128}
        isOptional
      />
      <SelectField
        form={form}
        name="customerId"
        label="Customer ID"
        help="Sent with each event to identify the customer."
        options={[['', 'Default for this kind'], ...customerIds]}
      />
      <CheckField
        form={form}
        name="enabled"
        label="Enabled"
        help="Sends events starting with the next request. If this box isn't selected, nothing is sent until you turn the emitter on."
      />
      <div>
        <CopyAs
          operation="emitters.add"
          input={{ ...inputOf({ ...values, credential: facts.credential ? '<the credential>' : '' }) }}
        />
      </div>
    </FormBody>
  )
}

function faultsOf({ credential, event, kind, url }: Values): Faults<Values> {
  const facts = kinds[kind]
  const isUrlMissing = facts.url === 'needed' || (facts.url === 'optional' && url.trim() !== '')
  return {
    ...(isUrlMissing &&
      !/^https:\/\/[^\s/]+/.test(url.trim()) && {
        url: 'Enter an https URL, like https://billing.example.com/usage.',
      }),
    ...(facts.credential &&
      !/^[\x21-\x7e]{8,}$/.test(credential.trim()) && {
        credential: credentialFault,
      }),
    ...(facts.event &&
      !/^[\x21-\x7e]+$/.test(event.trim()) && {
        event: eventNameFault,
      }),
  }
}

function inputOf(values: Values): EmittersAddInput {
  const { customerId, enabled, kind, name } = values
  const { credential, event, url } = kinds[kind]
  const input = {
    kind,
    ...(url !== 'none' && values.url.trim() !== '' && { url: values.url.trim() }),
    ...(credential && { [credential[0]]: values.credential.trim() }),
    ...(event && { [event[0]]: values.event.trim() }),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(customerId !== '' && { customerId: customerId as NonNullable<EmittersAddInput['customerId']> }),
    ...(!enabled && { enabled }),
  }
  // `kinds` determines the fields of each kind, which the compiler cannot check.
  return input as EmittersAddInput
}
