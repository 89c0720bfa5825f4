import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  redirect,
  retainSearchParams,
  stringifySearchWith,
  type AnyRouter,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { onHold } from '#web/ui/hold-page.ts'
import { impliedApplication } from './applications.ts'
import { loadPage } from './load-page.ts'
import { isSaving } from './operations/use-operation.ts'
import { barePages, pages } from './pages.ts'
import { keptParameters, placeParameters, type SearchTexts } from './url-parameters.ts'
import { hasRole, sessionQuery } from './sign-in/member-session.ts'
import { SignInAgain } from './sign-in/sign-in-again.tsx'
import { BrokenPage, MissingPage } from './shell/broken-or-missing-page.tsx'
import { useDocumentTitle } from './shell/document-title.ts'
import { Shell } from './shell/page-frame.tsx'

interface Context {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<Context>()({
  validateSearch: (search: Record<string, unknown>): SearchTexts =>
    Object.fromEntries(
      Object.entries(search).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
      ),
    ),
  search: { middlewares: [retainSearchParams([...keptParameters])] },
  component: Root,
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
})

function Root(): ReactNode {
  useDocumentTitle()
  return (
    <>
      <Outlet />
      <SignInAgain />
    </>
  )
}

const signedIn = createRoute({
  id: 'signed-in',
  getParentRoute: () => root,
  async beforeLoad({ context: { queries }, location }) {
    const session = await queries.ensureQueryData(sessionQuery)
    if (session === null) {
      throw redirect({ to: '/sign-in', search: { returnPath: location.href } })
    }
  },
})

const shell = createRoute({
  id: 'shell',
  getParentRoute: () => signedIn,
  component: Shell,
  async beforeLoad({ context: { queries }, location, search }) {
    const app = await impliedApplication(queries)
    if (app !== null && search.app === undefined) {
      throw redirect({ to: location.pathname, search: { ...search, app }, replace: true })
    }
  },
})

export function consoleRouter(queries: QueryClient): AnyRouter {
  const inShell = pages.map(
    ({
      formRole = 'developer',
      hasRange = false,
      hasRealTime = false,
      isKeptInNewScope = false,
      isOfOrganization = false,
      load,
      path,
      title,
    }) =>
      createRoute({
        path,
        getParentRoute: () => shell,
        component: lazyRouteComponent(() => loadPage(load)),
        staticData: { title, hasRange, hasRealTime, isKeptInNewScope, isOfOrganization },
        errorComponent: BrokenPage,
        // A link to a form that the member may not use opens only the form's page.
        beforeLoad({ location, search: { act, ...rest } }) {
          const session = queries.getQueryData(sessionQuery.queryKey)
          if (act !== undefined && session && !hasRole(session, formRole)) {
            throw redirect({ to: location.pathname, search: rest, replace: true })
          }
        },
      }),
  )
  const bare = (isBehindSignIn: boolean) =>
    barePages
      .filter((page) => page.isBehindSignIn === isBehindSignIn)
      .map(({ load, path, title }) =>
        createRoute({
          path,
          getParentRoute: () => (isBehindSignIn ? signedIn : root),
          component: lazyRouteComponent(() => loadPage(load)),
          staticData: { title },
        }),
      )
  const router = createRouter({
    routeTree: root.addChildren([
      signedIn.addChildren([shell.addChildren(inShell), ...bare(true)]),
      ...bare(false),
    ]),
    context: { queries },
    // Every value of the query is text: `range=7d`, never JSON.
    parseSearch: parseSearchWith((value) => value),
    stringifySearch: stringifySearchWith(String),
    defaultPreload: 'intent',
    defaultPendingMs: 200,
    scrollRestoration: true,
    getScrollRestorationKey: ({ href, state }) => state.scrollKey ?? state.key ?? href,
  })
  // The back button or a link would close a form before the response, which may be an error or contain a secret. After
  // the response, no change is being sent, and the form itself may open another page.
  onHold(() =>
    router.history.block({
      blockerFn: ({ action, currentLocation, nextLocation }) =>
        (action !== 'PUSH' && action !== 'REPLACE') ||
        (isSaving(queries) && placeOf(currentLocation) !== placeOf(nextLocation)),
      enableBeforeUnload: false,
    }),
  )
  return router
}

function placeOf({ pathname, search }: { readonly pathname: string; readonly search: string }): string {
  const texts = new URLSearchParams(search)
  return JSON.stringify([pathname, ...placeParameters.map((name) => texts.get(name))])
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly title?: string
    readonly hasRange?: boolean
    readonly hasRealTime?: boolean
    readonly isKeptInNewScope?: boolean
    readonly isOfOrganization?: boolean
  }
}
