/** An emitter's address cannot be changed, and another form rotates its signing secret. */
import { useState, type ReactNode } from 'react'
import type { EmittersUpdateInput } from '#sdk/generated/emitters.ts'
import type { Emitter } from '#sdk/generated/types.ts'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { credentialFault, eventNameFault } from '../../help-and-errors-of-fields.ts'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'
import { customerIds, kinds, type Kind } from './emitter-kinds.ts'

type Values = {
  readonly name: string
  readonly event: string
  readonly credential: string
  readonly customerId: string
}

export function EditForm({
  emitter,
  onDone,
  onReload,
}: {
  readonly emitter: Revised<Emitter>
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value }] = useState(emitter)
  const { credential, event } = kinds[value.kind as Kind] ?? { credential: null, event: null }
  const update = useChange('emitters.update')
  const initial: Values = {
    name: value.name,
    event: value.eventType ?? value.eventName ?? '',
    credential: '',
    customerId: value.customerId,
  }
  const inputOf = (values: Values): EmittersUpdateInput => ({
    id: value.id,
    ...(values.name !== initial.name && { name: values.name.trim() }),
    ...(event && values.event !== initial.event && { [event[0]]: values.event.trim() }),
    ...(credential && values.credential !== '' && { [credential[0]]: values.credential.trim() }),
    ...(values.customerId !== initial.customerId && {
      customerId: values.customerId as NonNullable<EmittersUpdateInput['customerId']>,
    }),
  })
  const form = useForm<Values>({
    // The form may contain a secret.
    draft: null,
    initial,
    check: (values) => ({
      ...(values.name.trim() === '' && { name: 'Enter a name.' }),
      ...(event && !/^[\x21-\x7e]+$/.test(values.event.trim()) && { event: eventNameFault }),
      ...(values.credential !== '' &&
        !/^[\x21-\x7e]{8,}$/.test(values.credential.trim()) && {
          credential: credentialFault,
        }),
    }),
    async send(values) {
      const changed = await update.mutateAsync({ ...inputOf(values), ...ifMatch })
      toast(`Saved ${changed.name}`)
      onDone()
    },
    fieldOf: { apiToken: 'credential', apiKey: 'credential', eventType: 'event', eventName: 'event' },
  })
  return (
    <FormBody form={form} action="Save emitter" onCancel={onDone} isDisabled={!form.isChanged}>
      <TextField form={form} name="name" label="Name" maxLength={128} />
      {event && <TextField form={form} name="event" label={event[1]} maxLength={200} />}
      {credential && (
        <TextField
          form={form}
          name="credential"
          label={`New ${credential[1]}`}
          type="password"
          autoComplete="new-password"
          help={`Leave empty to keep the current credential, which ends in ${value.lastFour}.`}
          maxLength={4096}
          isOptional
        />
      )}
      <SelectField form={form} name="customerId" label="Customer ID" options={customerIds} />
      {value.kind === 'webhook' && (
        <Note title="The URL can't be changed">
          To use another URL, add another emitter, replay the events that the new emitter needs, and delete
          this emitter. Rotate the signing secret in the Verify tab.
        </Note>
      )}
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs
          operation="emitters.update"
          input={{
            ...inputOf({
              ...form.values,
              credential: form.values.credential === '' ? '' : '<the credential>',
            }),
          }}
        />
      </div>
    </FormBody>
  )
}
