import type { ReactNode } from 'react'
import { SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useBundleOptions } from '../../bundle-options.ts'
import { useChange } from '../../operations/use-operation.ts'
import { FormDialog } from '../../form-dialog.tsx'

export function CreateUser({
  onClose,
  onDone,
}: {
  readonly onClose: () => void
  /** The form stays busy until the promise resolves. */
  readonly onDone: (externalId: string) => Promise<void>
}): ReactNode {
  const create = useChange('users.create')
  const bundles = useBundleOptions()
  const form = useForm({
    draft: 'new end user',
    initial: { externalId: '', email: '', bundle: '' },
    check: ({ externalId }) => (externalId.trim() === '' ? { externalId: 'Enter an ID.' } : {}),
    async send(values) {
      const made = await create.mutateAsync(inputOf(values))
      toast(`Created ${made.externalId}.`)
      await onDone(made.externalId)
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Create end user"
      about="If the ID already exists, the end user is kept and updated with the values of this form."
      form={form}
      action="Create end user"
      busyAction="Creating"
      operation="users.create"
      input={inputOf(form.values)}
    >
      <TextField
        form={form}
        name="externalId"
        label="ID"
        help="Your product's ID for the end user."
        maxLength={256}
      />
      <TextField form={form} name="email" label="Email" isOptional type="email" maxLength={254} />
      <SelectField
        form={form}
        name="bundle"
        label="Bundle"
        isOptional
        help="The bundle sets the available models and their prices."
        options={[['', 'Default bundle'], ...bundles]}
      />
    </FormDialog>
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
