/** The first application: what end users, keys and names belong to. */
import type { ReactNode } from 'react'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Section } from '#web/ui/layout.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { useSetSearch } from '../../search.ts'
import { useMay } from '../../session.ts'

export function AppForm({ mode }: { readonly mode: string }): ReactNode {
  const may = useMay('admin')
  const setSearch = useSetSearch()
  const create = useChange('apps.create', { touches: ['onboarding'] })
  const form = useForm({
    draft: 'first application',
    initial: { name: '', slug: '' },
    check: (values) => ({
      ...(values.name.trim() === '' && { name: 'Your people see it in the portal.' }),
      ...(!/^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$/.test(slugOf(values)) && {
        slug: 'Two or more small letters, digits and -, with a letter or digit at both ends.',
      }),
    }),
    async send(values) {
      const { slug } = await create.mutateAsync(inputOf(values))
      setSearch({ app: slug, ...(mode === 'test' && { mode: 'test' }) })
    },
  })
  const slug = slugOf(form.values)
  return (
    <Section title="First, an application" about="A product of yours: its people, keys, names and bundles.">
      <FormBody form={form} action="Make the application" isDisabled={!may}>
        <TextField form={form} name="name" label="Name" help="Your people see it." maxLength={128} />
        <TextField
          form={form}
          name="slug"
          label="Slug"
          help={
            slug === ''
              ? 'Part of its addresses; it never changes.'
              : `Its gateway answers at ${slug}.gateway and what follows. It never changes.`
          }
          placeholder={slug}
          maxLength={40}
          isOptional
        />
        {!may && <p className="text-13 text-ink-2">Making an application takes the role admin.</p>}
        <div>
          <CopyAs operation="apps.create" input={inputOf(form.values)} />
        </div>
      </FormBody>
    </Section>
  )
}

interface Values {
  readonly name: string
  readonly slug: string
}

/** As it was typed, or else made of the name. */
function slugOf({ name, slug }: Values): string {
  if (slug.trim() !== '') return slug.trim()
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return plain.replaceAll(/^-+|-+$/g, '').slice(0, 40)
}

function inputOf(values: Values): { slug: string; name: string } {
  return { slug: slugOf(values), name: values.name.trim() }
}
