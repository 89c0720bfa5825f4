import type { ReactNode } from 'react'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { applicationAbout, nameHelp, nameMissing } from '../../help-and-errors-of-fields.ts'
import { useSetSearch } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { newApplication, slugFaultOf, slugOf } from '../../application-slugs.ts'

export function AppForm({ mode }: { readonly mode: string }): ReactNode {
  const may = useMay('admin')
  const setSearch = useSetSearch()
  const create = useChange('apps.create')
  const form = useForm({
    draft: 'first application',
    initial: { name: '', slug: '' },
    check(values) {
      const fault = slugFaultOf(values)
      return {
        ...(values.name.trim() === '' && { name: nameMissing }),
        ...(fault !== undefined && { slug: fault }),
      }
    },
    async send(values) {
      const { slug } = await create.mutateAsync(newApplication(values))
      setSearch({ app: slug, ...(mode === 'test' && { mode: 'test' }) })
    },
  })
  const slug = slugOf(form.values)
  return (
    <Section title="Create your first application" about={applicationAbout}>
      <FormBody form={form} action="Create application" isDisabled={!may}>
        <TextField form={form} name="name" label="Name" help={nameHelp} maxLength={128} />
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help={
            slug === ''
              ? 'The slug is part of the addresses of the gateway and the portal. The slug can’t be changed or reused.'
              : `The gateway’s host name starts with ${slug}.gateway. The slug can’t be changed or reused.`
          }
          placeholder={slug}
          maxLength={40}
          isOptional
        />
        {!may && <p className="text-13 text-ink-2">Creating an application requires the admin role.</p>}
        <div>
          <CopyAs operation="apps.create" input={newApplication(form.values)} />
        </div>
      </FormBody>
    </Section>
  )
}
