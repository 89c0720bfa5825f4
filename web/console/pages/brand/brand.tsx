import { useState, type ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead, Section } from '#web/ui/page-head-and-sections.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { OnceRead, useRevised } from '../../forms-with-revision.tsx'
import { useMay } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { BrandForm } from './brand-form.tsx'
import { LogoPart } from './logo-upload.tsx'
import { PortalPreview, type Look } from './portal-preview.tsx'
import { PortalRules } from './end-user-key-rules.tsx'

export default function BrandPage(): ReactNode {
  const may = useMay('developer')
  const brand = useRevised('brand.show', {})
  const rules = useRevised('portal.settings', {})
  const current = useAnswer('apps.current', {})
  const app = current.data
  const error = brand.error ?? current.error
  const [typed, setTyped] = useState<Partial<Look>>({})
  // A form restarts with the stored values after a save, or if its values were outdated.
  const [savedBrands, setSavedBrands] = useState(0)
  const [savedRules, setSavedRules] = useState(0)
  const readBrand = async (): Promise<void> => {
    await brand.refetch()
    setTyped({})
    setSavedBrands((count) => count + 1)
  }
  const readRules = async (): Promise<void> => {
    await rules.refetch()
    setSavedRules((count) => count + 1)
  }
  return (
    <>
      <PageHead
        title="Brand and portal"
        about="The name, color and logo of the portal, and the rules for keys that end users create there."
        action={
          <>
            <CopyAs operation="brand.show" />
            {/* Avoid layout shift while the application is loading. */}
            <a
              className={classNames(buttonClass(), !app && 'invisible')}
              {...(app && { href: app.portal })}
              target="_blank"
              rel="noreferrer"
            >
              Open portal
            </a>
          </>
        }
      />
      {!may && (
        <div className="mb-6">
          <Note title="Read-only">Editing the brand and the portal requires the developer role.</Note>
        </div>
      )}
      {error && (
        <FailureNote
          error={error}
          title="The brand can't be shown."
          onRetry={() => void Promise.all([brand.refetch(), current.refetch()])}
        />
      )}
      {!(brand.data && app) && !error && <Skeleton className="h-96" />}
      {/* Wait until the application is known. The form would otherwise restart and lose typed text. */}
      {brand.data && app && (
        <div className="grid gap-x-12 wide:grid-cols-[minmax(0,1fr)_25rem]">
          <div>
            <Section title="Brand">
              <OnceRead noun="brand" query={brand} waiting={<Skeleton className="h-96" />}>
                {(revised) => (
                  <BrandForm
                    key={`${app.slug} ${savedBrands}`}
                    revised={revised}
                    app={app.slug}
                    may={may}
                    onTyped={setTyped}
                    onSaved={readBrand}
                  />
                )}
              </OnceRead>
            </Section>
            <Section title="Logo" about="PNG, JPEG or WebP, up to 512 KiB and 2000 pixels per side.">
              <LogoPart revised={brand.data} may={may} onSaved={readBrand} />
            </Section>
            <Section title="Permissions" about="Changes take effect with the next request.">
              {rules.error && <FailureNote error={rules.error} onRetry={() => void rules.refetch()} />}
              {(rules.data !== undefined || !rules.error) && (
                <OnceRead noun="portal" query={rules} waiting={<Skeleton className="h-32" />}>
                  {(revised) => (
                    <PortalRules
                      key={`${app.slug} ${savedRules}`}
                      revised={revised}
                      may={may}
                      onSaved={readRules}
                    />
                  )}
                </OnceRead>
              )}
            </Section>
            <p className="mb-12 text-13 text-ink-2">
              End users enter the portal with a link. Create a link on the page of an{' '}
              <Go to="/users">end user</Go>, or in your program with <code>portal.link</code>.
            </p>
          </div>
          <Section title="Preview" about="The portal's home page with sample figures." className="min-w-0">
            <PortalPreview look={{ ...brand.data.value, ...typed }} />
          </Section>
        </div>
      )}
    </>
  )
}
