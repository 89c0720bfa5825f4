import { useState, type ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'

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
  const rotate = useChange('providers.rotate')
  const form = useForm({
    draft: null,
    initial: { apiKey: '' },
    check: ({ apiKey }) => (apiKey.trim() === '' ? { apiKey: 'Enter the new API key.' } : {}),
    async send({ apiKey }) {
      const answer = await rotate.mutateAsync({ id: label, apiKey: apiKey.trim(), ...ifMatch })
      toast(`${label} now uses the API key that ends in ${answer.lastFour ?? '…'}.`)
      onDone()
    },
  })
  return (
    <FormBody form={form} action={`Replace API key of ${label}`} onCancel={onDone}>
      <Note title="Keep the old key for ten minutes">
        New requests use the new key immediately. Requests in flight finish with the old key
        {lastFour === null ? '' : ` (••••${lastFour})`}. Revoke the old key at the provider after ten minutes.
      </Note>
      <TextField
        form={form}
        name="apiKey"
        label="New API key"
        type="password"
        autoComplete="new-password"
        help="Stored encrypted and never shown again. Saving doesn't contact the provider, so probe the account afterwards."
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="providers.rotate" input={{ id: label, apiKey: '<the new key>' }} />
      </div>
    </FormBody>
  )
}
