/** The navigation is within reach of a thumb. */
import { useEffect, useRef, type ReactNode } from 'react'
import { initialOf } from '#web/ui/first-letter-of-name.ts'
import { classNames } from '#web/ui/class-names.ts'
import { useAccount } from './account-and-plan-hooks.ts'
import { brand } from './brand-in-document.ts'
import * as icons from './bottom-bar-icons.tsx'
import { Go, usePathname } from './portal-router.tsx'
import { pathOf, type PageName, type Place } from './pages-of-url-paths.ts'
import { Toasts } from './ui/toast.tsx'

type Entry = readonly [page: PageName, words: string, Icon: (props: { className?: string }) => ReactNode]

const atHand: readonly Entry[] = [
  ['home', 'Home', icons.HomeIcon],
  ['usage', 'Usage', icons.UsageIcon],
  ['activity', 'Activity', icons.ActivityIcon],
  ['keys', 'Keys', icons.KeyIcon],
]
const more: Entry = ['more', 'More', icons.MoreIcon]
type FurtherPage = readonly [page: PageName, words: string, about: string]

const furtherPages: readonly FurtherPage[] = [
  ['ledger', 'Ledger', 'All changes to your balance'],
  ['plan', 'Plan', 'Included credit, next charge and invoices'],
  ['limits', 'Limits', 'Spending limits and remaining amounts'],
  ['team', 'Team', 'Members who spend from your wallet'],
  ['docs', 'Docs', 'Base URLs, models and prices'],
  ['settings', 'Settings', 'Session, theme and help'],
]

/** Only the payer of a team sees the page of the team. */
export function useFurtherPages(): readonly FurtherPage[] {
  const { value: account } = useAccount()
  const isPayer = account !== undefined && account.paysFor !== null
  return isPayer ? furtherPages : furtherPages.filter(([page]) => page !== 'team')
}

export function Frame({
  children,
  place,
}: {
  readonly place: Place
  readonly children: ReactNode
}): ReactNode {
  const here = place.page === 'receipt' ? 'activity' : place.page === 'invoice' ? 'plan' : place.page
  const { value: account } = useAccount()
  const further = useFurtherPages()
  const main = useRef<HTMLElement>(null)
  const path = usePathname()
  const last = useRef(path)
  // Moves the focus to the content of a new page, so that screen readers announce it.
  useEffect(() => {
    if (last.current !== path) main.current?.focus({ preventScroll: true })
    last.current = path
  }, [path])
  return (
    <>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-30 focus:bg-surface focus:p-3"
      >
        Skip to content
      </a>
      <header>
        {account?.openedBy && (
          <p className="border-t-3 border-held bg-held-2 px-4 py-1.5 text-center text-13">
            You are viewing <bdi>{account.endUserId}</bdi>'s portal as {account.openedBy}
            {account.readOnly && ', read-only'}.
          </p>
        )}
        {account?.livemode === false && (
          <p className="border-t-3 border-test bg-test-2 px-4 py-1.5 text-center text-13">
            Test mode: no real money is charged.
          </p>
        )}
        <div className="mx-auto flex h-16 w-full max-w-portal items-center px-4 tablet:max-w-208">
          <Go to="/" className="flex h-12 min-w-0 items-center gap-3">
            <Logo />
            <span className="sr-only">home</span>
          </Go>
        </div>
      </header>
      <div className="mx-auto flex w-full max-w-portal gap-12 px-4 tablet:max-w-208">
        <nav aria-label="Pages" className="sticky top-4 hidden h-fit w-44 shrink-0 pt-2 tablet:block">
          <ul className="flex flex-col gap-0.5">
            {[...atHand.map(([page, words]) => [page, words] as const), ...further].map(([page, words]) => (
              <li key={page}>
                <Go
                  to={pathOf(page)}
                  aria-current={page === here ? 'page' : undefined}
                  className={classNames(
                    'flex h-12 items-center rounded px-3',
                    page === here
                      ? 'bg-surface-3 font-medium text-ink'
                      : 'text-ink-2 hover:bg-surface-2 hover:text-ink',
                  )}
                >
                  {words}
                </Go>
              </li>
            ))}
          </ul>
        </nav>
        <main
          id="content"
          ref={main}
          tabIndex={-1}
          className="w-full max-w-portal min-w-0 pt-2 pb-28 wrap-break-word outline-none tablet:pb-16 print:pb-0"
        >
          {children}
        </main>
      </div>
      <nav
        aria-label="Pages"
        className="fixed inset-x-0 bottom-0 z-20 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] tablet:hidden"
      >
        <ul className="mx-auto flex max-w-portal">
          {[...atHand, more].map(([page, words, Icon]) => {
            const isHere = page === here || (page === 'more' && further.some(([one]) => one === here))
            return (
              <li key={page} className="min-w-0 flex-1">
                <Go
                  to={pathOf(page)}
                  aria-current={page === here ? 'page' : isHere ? 'true' : undefined}
                  className={classNames(
                    'flex h-16 flex-col items-center justify-center gap-1 text-12',
                    isHere ? 'brand-text font-semibold' : 'text-ink-2',
                  )}
                >
                  <Icon className="size-5" />
                  {words}
                </Go>
              </li>
            )
          })}
        </ul>
      </nav>
      <Toasts />
    </>
  )
}

export function Logo(): ReactNode {
  const { logo, productName } = brand
  return (
    <>
      {logo ? (
        <img src={logo.path} alt="" className="h-8 max-w-32 shrink-0 object-contain" height={32} />
      ) : (
        <span
          aria-hidden
          className="grid size-8 shrink-0 place-items-center rounded bg-accent font-semibold text-accent-ink"
        >
          {initialOf(productName)}
        </span>
      )}
      <bdi className="truncate font-semibold" title={productName}>
        {productName}
      </bdi>
    </>
  )
}
