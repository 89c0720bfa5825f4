import type { ReactNode } from 'react'
import { FormBody, SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useBundleOptions } from '../../bundle-options.ts'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'

export function CreateUser({
  onClose,
  onDone,
}: {
  readonly onClose: () => void
  readonly onDone: (externalId: string) => void
}): ReactNode {
  const create = useChange('users.create')
  const bundles = useBundleOptions()
  const form = useForm({
    draft: 'new end user',
    initial: { externalId: '', email: '', bundle: '' },
    check: ({ externalId }) => (externalId.trim() === '' ? { externalId: 'Write the id.' } : {}),
    async send(values) {
      const made = await create.mutateAsync(inputOf(values))
      toast(`${made.externalId} is there.`)
      onDone(made.externalId)
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create an end user"
      about="Somebody who is there already keeps everything, and gets what you write here."
    >
      <FormBody form={form} action="Create the end user" busyAction="Creating" onCancel={onClose}>
        <TextField
          form={form}
          name="externalId"
          label="Id"
          help="Your own id of the person, as your product knows them."
          maxLength={256}
        />
        <TextField form={form} name="email" label="E-mail" isOptional type="email" maxLength={254} />
        <SelectField
          form={form}
          name="bundle"
          label="Bundle"
          isOptional
          help="What they may call, and at which price."
          options={[['', 'The default one'], ...bundles]}
        />
        <div>
          <CopyAs operation="users.create" input={inputOf(form.values)} />
        </div>
      </FormBody>
    </Dialog>
  )
}

function inputOf(values: { readonly externalId: string; readonly email: string; readonly bundle: string }) {
  const email = values.email.trim()
  return {
    externalId: values.externalId.trim(),
    ...(email !== '' && { email }),
    ...(values.bundle !== '' && { bundle: values.bundle }),
  }
}
