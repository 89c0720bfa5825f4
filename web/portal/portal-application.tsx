import { Component, lazy, Suspense, useEffect, type ComponentType, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { AheadMs } from '#web/ui/current-time-hooks.ts'
import { useAccount } from './account-and-plan-hooks.ts'
import { brand } from './brand-in-document.ts'
import { Frame } from './portal-page-frame.tsx'
import { Home } from './pages/home/home.tsx'
import { go, Go, usePathname } from './portal-router.tsx'
import { placeOf, type PageName } from './pages-of-url-paths.ts'
import { useSession } from './end-user-session.ts'
import { PageTitle } from './ui/page-title-and-sections.tsx'
import { Waiting } from './ui/loaded-content.tsx'

const titles: Readonly<Record<Exclude<PageName, 'home'> | 'receipt' | 'invoice', string>> = {
  usage: 'Usage',
  activity: 'Activity',
  keys: 'Keys',
  ledger: 'Ledger',
  plan: 'Plan',
  limits: 'Limits',
  team: 'Team',
  docs: 'Docs',
  settings: 'Settings',
  more: 'More',
  receipt: 'Receipt',
  invoice: 'Invoice',
}

const pages: Readonly<Record<Exclude<PageName, 'home'>, ComponentType>> = {
  usage: lazy(() => import('./pages/usage/usage.tsx')),
  activity: lazy(() => import('./pages/activity/activity.tsx')),
  keys: lazy(() => import('./pages/keys/keys.tsx')),
  ledger: lazy(() => import('./pages/ledger/ledger.tsx')),
  plan: lazy(() => import('./pages/plan/plan.tsx')),
  limits: lazy(() => import('./pages/limits/limits.tsx')),
  team: lazy(() => import('./pages/team/team.tsx')),
  docs: lazy(() => import('./pages/docs/docs.tsx')),
  settings: lazy(() => import('./pages/settings/settings.tsx')),
  more: lazy(() => import('./pages/more/more.tsx')),
}
const SignedOut = lazy(() =>
  import('./page-for-signed-out-visitors.tsx').catch(() => ({ default: Unreachable })),
)
const Invoice = lazy(() => import('./pages/plan/invoice.tsx'))
const Receipt = lazy(() => import('./pages/activity/receipt-of-request.tsx'))

export function Portal(): ReactNode {
  const session = useSession()
  const path = usePathname()
  const place = placeOf(path)
  const title = place.page === 'home' || place.page === 'none' ? null : titles[place.page]
  useEffect(() => {
    document.title = title === null ? brand.productName : `${title} · ${brand.productName}`
  }, [title])
  if (session.state === 'opening') return <Opening />
  if (session.state !== 'open') {
    return (
      <Suspense fallback={<Opening />}>
        <SignedOut session={session} />
      </Suspense>
    )
  }
  return (
    <InTime>
      <Frame place={place}>
        <Fence key={path}>
          <Suspense fallback={<Waiting rows={5} />}>
            {place.page === 'home' ? (
              <Home />
            ) : place.page === 'receipt' ? (
              <Receipt id={place.id} />
            ) : place.page === 'invoice' ? (
              <Invoice id={place.id} />
            ) : place.page === 'none' ? (
              <NoPage />
            ) : (
              <Page name={place.page} />
            )}
          </Suspense>
        </Fence>
      </Frame>
    </InTime>
  )
}

function InTime({ children }: { readonly children: ReactNode }): ReactNode {
  return <AheadMs value={useAccount().value?.aheadMs ?? 0}>{children}</AheadMs>
}

function Opening(): ReactNode {
  return (
    <div className="mx-auto max-w-portal p-4">
      <Waiting rows={6} />
    </div>
  )
}

/** Needs no further file, which would probably fail to load too. */
function Unreachable(): ReactNode {
  return (
    <main className="mx-auto max-w-portal p-4">
      <h1 className="mb-4 text-28 font-semibold">The portal can't be reached right now</h1>
      <Button size="large" onClick={() => location.reload()}>
        Try again
      </Button>
    </main>
  )
}

function Page({ name }: { readonly name: Exclude<PageName, 'home'> }): ReactNode {
  const One = pages[name]
  return <One />
}

function NoPage(): ReactNode {
  return (
    <>
      <PageTitle title="Page not found" about="The address may contain a typo, or the page may have moved." />
      <Go to="/" className="brand-text inline-flex h-12 items-center underline">
        Go to your balance
      </Go>
    </>
  )
}

class Fence extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true }
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children
    return (
      <>
        <PageTitle
          title="This page couldn't be loaded"
          about="Your data was not changed. A new version may have been installed, so reload the page."
        />
        <div className="flex flex-wrap gap-2">
          <Button size="large" kind="primary" onClick={() => location.reload()}>
            Reload page
          </Button>
          <Button size="large" onClick={() => go('/')}>
            Go to your balance
          </Button>
        </div>
      </>
    )
  }
}
