/** The setting applies to streams whose client disconnects. */
import { useState, type ReactNode } from 'react'
import type { ProviderAccount } from '#sdk/generated/types.ts'
import { FormBody, SelectField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { clientLeftWords, onClientLeftOf } from '../../providers/disconnect-setting-text.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'

export function ClientLeftForm({
  account,
  onDone,
  onReload,
}: {
  readonly account: Revised<ProviderAccount>
  readonly onDone: () => void
  readonly onReload: () => void
}): ReactNode {
  const [{ ifMatch, value }] = useState(account)
  const { kind, label } = value
  const connect = useChange('providers.connect')
  const inputOf = (choice: string) => ({ label, onClientLeft: onClientLeftOf(choice) })
  const form = useForm({
    draft: null,
    initial: { onClientLeft: value.onClientLeft ?? '' },
    check: () => ({}),
    async send({ onClientLeft }) {
      await connect.mutateAsync({ ...inputOf(onClientLeft), ...ifMatch })
      toast(`Saved the disconnect setting of ${label}.`)
      onDone()
    },
  })
  return (
    <FormBody form={form} action="Save setting" onCancel={onDone} isDisabled={!form.isChanged}>
      <SelectField
        form={form}
        name="onClientLeft"
        label="If a client disconnects during a stream"
        help="If the stream is stopped, only the delivered output is charged. Stop the stream only if this provider stops billing when the connection closes. If the rest of the stream is read, all generated output is charged. Reading stops after 30 seconds or 64 KiB."
        options={[
          ['', `Default: ${clientLeftWords(null, kind).toLowerCase()}`],
          ['cut', clientLeftWords('cut', kind)],
          ['drain', clientLeftWords('drain', kind)],
        ]}
      />
      <ChangedMeanwhile failure={form.failure} onReload={onReload} />
      <div>
        <CopyAs operation="providers.connect" input={inputOf(form.values.onClientLeft)} />
      </div>
    </FormBody>
  )
}
