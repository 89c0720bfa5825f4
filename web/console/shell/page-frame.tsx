import { Outlet, useMatches, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Button, IconButton } from '#web/ui/button.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { CloseIcon, MenuIcon, SearchIcon } from '#web/ui/icons.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { DraftScope } from '#web/ui/form.tsx'
import { AheadMs } from '#web/ui/current-time-hooks.ts'
import { useAnswer } from '../operations/use-operation.ts'
import { useScope } from '../application-and-mode.ts'
import { AccountMenu } from './account-menu.tsx'
import { AppSwitcher, ModeSwitch, useHasNoApp } from './application-and-mode-switcher.tsx'
import { CommandBar } from './command-bar.tsx'
import { NoApplication } from './no-application.tsx'
import { RangePicker } from './range-picker.tsx'
import { Rail } from './navigation-menu.tsx'
import { useShortcuts } from './shortcuts.ts'

export function Shell(): ReactNode {
  const aheadMs = useAheadMs()
  const { app, mode } = useScope()
  return (
    <AheadMs value={aheadMs ?? 0}>
      <DraftScope value={`${app ?? ''} ${mode}`}>
        <Frame isTimeKnown={aheadMs !== null} />
      </DraftScope>
    </AheadMs>
  )
}

function Frame({ isTimeKnown }: { readonly isTimeKnown: boolean }): ReactNode {
  const { mode } = useScope()
  const { closer, isRailOpen, opener, setRailOpen } = useRail()
  const [isBarOpen, setBarOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  useShortcuts(() => setBarOpen(true))
  useFocusOnNavigation(main)
  const isTest = mode === 'test'
  const hasRange = useMatches({ select: (matches) => matches.at(-1)?.staticData.hasRange === true })
  return (
    <div className="min-h-dvh tablet:grid tablet:grid-cols-[13.75rem_minmax(0,1fr)] print:block">
      <a
        href="#main"
        className="sr-only z-60 rounded bg-surface p-3 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape closes the menu from all its controls */}
      <div
        onKeyDown={(event) => {
          // An Escape that closes a menu above the navigation menu bubbles here too.
          const isOwn = event.target instanceof Node && event.currentTarget.contains(event.target)
          if (isRailOpen && isOwn && event.key === 'Escape') setRailOpen(false)
        }}
        className={classNames(
          'z-30 flex flex-col border-line bg-surface tablet:sticky tablet:top-0 tablet:h-dvh tablet:border-r print:hidden',
          isRailOpen ? 'fixed inset-0' : 'max-tablet:hidden',
        )}
      >
        <div className="flex items-center justify-between gap-2 p-3 tablet:hidden">
          <span className="font-medium">Tollgate</span>
          <IconButton ref={closer} label="Close menu" onClick={() => setRailOpen(false)}>
            <CloseIcon />
          </IconButton>
        </div>
        <section aria-label="Application and mode" className="flex flex-col gap-2 p-3">
          <AppSwitcher />
          <ModeSwitch />
        </section>
        <Rail />
        <section aria-label="Account" className="mt-auto border-t border-line p-3">
          <AccountMenu />
        </section>
      </div>
      <div className="min-w-0" inert={isRailOpen}>
        {isTest && (
          <section
            aria-label="Test mode"
            className="sticky top-0 z-20 flex min-h-6 items-center justify-center border-t-[3px] text-center border-test bg-test-2 text-12 font-medium text-test"
          >
            Test mode
            <span className="hidden whitespace-pre phone:inline">
              : requests don't reach providers, and no real money is charged
            </span>
          </section>
        )}
        <header className="flex h-14 items-center gap-2 border-b border-line px-4 tablet:px-8 print:hidden">
          <IconButton
            ref={opener}
            label="Open menu"
            className="tablet:hidden"
            aria-expanded={isRailOpen}
            onClick={() => setRailOpen(true)}
          >
            <MenuIcon className="size-5" />
          </IconButton>
          <Button
            kind="quiet"
            size="small"
            className="mr-auto min-w-0 shrink! text-ink-3"
            onClick={() => setBarOpen(true)}
            aria-keyshortcuts="Meta+K Control+K"
          >
            <SearchIcon />
            <span className="truncate">Search or go to</span>
            <kbd className="hidden rounded border border-line px-1 text-12 tablet:inline">⌘K</kbd>
          </Button>
          {hasRange && <RangePicker />}
        </header>
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          className="mx-auto max-w-content px-4 py-8 outline-none tablet:px-8"
          style={{ '--head': isTest ? '1.5rem' : '0px' } as object}
        >
          {/* Each page requests data for a time range, so the current time must be known first. */}
          {isTimeKnown ? <Page /> : <div aria-busy className="min-h-dvh" />}
        </main>
      </div>
      {isBarOpen && <CommandBar onClose={() => setBarOpen(false)} />}
    </div>
  )
}

/**
 * If the page requires an application and none exists, shows how to create one. Another application or mode starts the
 * page anew. Otherwise, a form that was opened in test mode would be sent in live mode after the browser goes back.
 */
function Page(): ReactNode {
  const { app, mode } = useScope()
  const hasNoApp = useHasNoApp()
  const {
    hasRealTime = false,
    isKeptInNewScope = false,
    isOfOrganization = false,
    title,
  } = useMatches({ select: (matches) => matches.at(-1)?.staticData ?? {} })
  if (hasNoApp && !isOfOrganization) {
    return (
      <>
        <PageHead title={title} />
        <NoApplication />
      </>
    )
  }
  const page = <Outlet key={isKeptInNewScope ? '' : `${app ?? ''} ${mode}`} />
  return hasRealTime ? <AheadMs value={0}>{page}</AheadMs> : page
}

/** 0 in live mode. Null if not known yet. */
function useAheadMs(): number | null {
  const { mode } = useScope()
  const hasNoApp = useHasNoApp()
  const isAsked = mode === 'test' && !hasNoApp
  const { data, isPending } = useAnswer('testClock.show', {}, { isEnabled: isAsked })
  if (!isAsked) return 0
  return isPending ? null : (data?.offsetMs ?? 0)
}

/** In a small window, the navigation menu covers the page. The menu closes when another page or a larger window opens. */
function useRail() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const [openAt, setOpenAt] = useState<string | null>(null)
  if (openAt !== null && openAt !== pathname) setOpenAt(null)
  const isRailOpen = openAt === pathname
  const opener = useRef<HTMLButtonElement>(null)
  const closer = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (openAt === null) return
    closer.current?.focus()
    const large = window.matchMedia(tablet)
    const close = (): void => setOpenAt(null)
    large.addEventListener('change', close)
    return () => large.removeEventListener('change', close)
  }, [openAt])
  const setRailOpen = (isOpen: boolean): void => {
    flushSync(() => setOpenAt(isOpen ? pathname : null))
    if (!isOpen) opener.current?.focus()
  }
  return { closer, isRailOpen, opener, setRailOpen }
}

/** The same value as `--breakpoint-tablet` in tokens.css. */
const tablet = '(min-width: 56.25rem)'

/** Moves the focus to the content of a new page, so that screen readers announce it. */
function useFocusOnNavigation(main: { readonly current: HTMLElement | null }): void {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname, main])
}
