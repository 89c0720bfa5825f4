import type { ReactNode } from 'react'
import type { Application } from '#sdk/generated/types.ts'
import { TextField, useForm } from '#web/ui/form.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { Snippets } from '../../copy-as-code.tsx'
import { applicationAbout, nameHelp, nameMissing } from '../../help-and-errors-of-fields.ts'
import { FormDialog } from '../../form-dialog.tsx'
import { newApplication, slugFault, slugFaultOf, slugOf, slugOfName } from '../../application-slugs.ts'
import { addressesOf } from './predict-addresses.ts'

/** A slug is permanent, so the form previews both addresses. */
export function CreateApp({
  apps,
  onClose,
  onMade,
}: {
  readonly apps: readonly Application[]
  readonly onClose: () => void
  readonly onMade: (app: Application) => void
}): ReactNode {
  const create = useChange('apps.create')
  const form = useForm({
    draft: 'apps.create',
    initial: { name: '', slug: '' },
    check(values) {
      const slug = slugOf(values)
      const fault = apps.some((one) => one.slug === slug)
        ? `The slug ${slug} is already taken. Slugs can't be reused.`
        : slugFaultOf(values)
      return {
        ...(values.name.trim() === '' && { name: nameMissing }),
        ...(fault !== undefined && { slug: fault }),
      }
    },
    ifExists: { name: 'slug', fault: "This slug is already taken. Slugs can't be reused." },
    async send(values) {
      const made = await create.mutateAsync({ ...newApplication(values), isNew: true })
      toast(`Created ${made.name}`)
      onMade(made)
    },
  })
  const slug = slugOf(form.values)
  const addresses = slugFault(slug) === undefined ? addressesOf(slug, apps, location.origin) : null
  return (
    <FormDialog
      onClose={onClose}
      title="Create application"
      about={applicationAbout}
      form={form}
      action={`Create application ${slug}`.trim()}
      busyAction="Creating"
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        help={`${nameHelp} You can change the name later.`}
        maxLength={128}
      />
      <TextField
        form={form}
        name="slug"
        label="Slug"
        help="The slug is part of the addresses of the gateway and the portal. The slug can't be changed or reused."
        placeholder={slugOfName(form.values.name)}
        maxLength={40}
        isOptional
      />
      <section aria-label="Addresses" aria-live="polite">
        {addresses ? (
          <Facts
            facts={[
              [
                'Gateway',
                <code key="gateway" className="text-13">
                  {addresses.gateway}
                </code>,
              ],
              [
                'Portal',
                <code key="portal" className="text-13">
                  {addresses.portal}
                </code>,
              ],
            ]}
          />
        ) : (
          <p className="text-13 text-ink-3">
            {slugFault(slug) === undefined
              ? 'The addresses are shown after the application is created.'
              : 'Enter a name to preview the addresses.'}
          </p>
        )}
      </section>
      <Snippets operation="apps.create" input={newApplication(form.values)} />
    </FormDialog>
  )
}
