/** Another key in the place of the old one. */
import { useState, type ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Note } from '#web/ui/state.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { ChangedMeanwhile, type Revised } from '../../revised.tsx'

export function RotateForm({
  account,
  onDone,
  onReload,
}: {
  readonly account: Revised<ProviderAccount>
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value }] = useState(account)
  const { label, lastFour } = value
  const rotate = useChange('providers.rotate', { touches: ['onboarding', 'health', 'doctor'] })
  const form = useForm({
    draft: null,
    initial: { apiKey: '' },
    check: ({ apiKey }) => (apiKey.trim() === '' ? { apiKey: 'The new key.' } : {}),
    async send({ apiKey }) {
      const answer = await rotate.mutateAsync({ id: label, apiKey: apiKey.trim(), ...ifMatch })
      toast(`${label} is called with the key that ends in ${answer.lastFour ?? '…'}`)
      onDone()
    },
  })
  return (
    <FormBody form={form} action={`Use the new key for ${label}`} onCancel={onDone}>
      <Note title="Both keys are needed for a moment">
        Every call after this one is sent with the new key. Calls in flight end with the old one
        {lastFour === null ? '' : ` (••••${lastFour})`}: revoke it at the provider once they have, in ten
        minutes to be sure.
      </Note>
      <TextField
        form={form}
        name="apiKey"
        label="New API key"
        type="password"
        autoComplete="new-password"
        help="Stored sealed and never shown again. Nothing is sent to the provider now: probe it afterwards."
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="providers.rotate" input={{ id: label, apiKey: '<the new key>' }} />
      </div>
    </FormBody>
  )
}
