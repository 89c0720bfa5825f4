import type { ComponentType } from 'react'
import type { Role } from './sign-in/member-session.ts'

export const groups = ['Watch', 'Sell', 'Build', 'Admin'] as const
export type Group = (typeof groups)[number]

export interface Page {
  /** A part such as `$name` is a parameter. */
  readonly path: string
  readonly title: string
  /** Null if only other pages link to the page. */
  readonly group: Group | null
  /** The key `r` opens Requests with `g r`. */
  readonly key?: string
  readonly words?: string
  readonly hasRange?: boolean
  /** Defaults to the role developer. */
  readonly formRole?: Role
  readonly isOfOrganization?: boolean
  /** The times on the page don't depend on the test clock, even in test mode. */
  readonly hasRealTime?: boolean
  /** The page itself separates its state by application and mode. */
  readonly isKeptInNewScope?: boolean
  readonly load: () => Promise<{ readonly default: ComponentType }>
}

export const pages: readonly Page[] = [
  {
    path: '/',
    hasRange: true,
    title: 'Overview',
    group: 'Watch',
    key: 'o',
    words: 'home dashboard spend',
    load: () => import('./pages/overview/overview.tsx'),
  },
  {
    path: '/live',
    title: 'Live',
    group: 'Watch',
    key: 'l',
    words: 'tail stream now',
    load: () => import('./pages/live/live.tsx'),
  },
  {
    path: '/requests',
    hasRange: true,
    title: 'Requests',
    group: 'Watch',
    key: 'r',
    words: 'calls log history',
    load: () => import('./pages/requests/requests.tsx'),
  },
  {
    path: '/requests/$id',
    title: 'Request',
    group: null,
    load: () => import('./pages/requests/request.tsx'),
  },
  {
    path: '/explore',
    hasRange: true,
    title: 'Explore',
    group: 'Watch',
    key: 'x',
    words: 'usage charts analytics export',
    load: () => import('./pages/explore/explore.tsx'),
  },
  {
    path: '/margin',
    hasRange: true,
    title: 'Margin',
    group: 'Watch',
    key: 'm',
    words: 'cost profit revenue',
    load: () => import('./pages/margin/margin.tsx'),
  },
  {
    path: '/emitters',
    formRole: 'admin',
    hasRealTime: true,
    title: 'Emitters',
    group: 'Watch',
    key: 'e',
    words: 'webhooks events deliveries stripe',
    load: () => import('./pages/emitters/emitters.tsx'),
  },
  {
    path: '/users',
    title: 'End users',
    group: 'Sell',
    key: 'u',
    words: 'people customers balance wallet',
    load: () => import('./pages/users/users.tsx'),
  },
  {
    path: '/users/$id',
    title: 'End user',
    group: null,
    load: () => import('./pages/users/user.tsx'),
  },
  {
    path: '/keys',
    title: 'Keys',
    group: 'Sell',
    key: 'k',
    words: 'ak_ api keys mint revoke',
    load: () => import('./pages/keys/keys.tsx'),
  },
  {
    path: '/grants',
    // Lines that were tried in test mode can be granted in live mode.
    isKeptInNewScope: true,
    title: 'Grants',
    group: 'Sell',
    key: 'g',
    words: 'credit top up adjust',
    load: () => import('./pages/grants/grants.tsx'),
  },
  {
    path: '/invoices',
    title: 'Invoices',
    group: 'Sell',
    words: 'subscriptions payment',
    load: () => import('./pages/invoices/invoices.tsx'),
  },
  {
    path: '/teams',
    title: 'Teams',
    group: 'Sell',
    words: 'payer members shared wallet company',
    load: () => import('./pages/teams/teams.tsx'),
  },
  {
    path: '/outcomes',
    title: 'Outcomes',
    group: 'Sell',
    words: 'runs ceilings',
    load: () => import('./pages/outcomes/outcomes.tsx'),
  },
  {
    path: '/models',
    title: 'Models',
    group: 'Build',
    key: 'n',
    words: 'aliases names prices catalog',
    load: () => import('./pages/models/models.tsx'),
  },
  {
    path: '/routers',
    title: 'Routers',
    group: 'Build',
    words: 'fallback targets policy dry run',
    load: () => import('./pages/routers/routers.tsx'),
  },
  {
    path: '/bundles',
    title: 'Bundles',
    group: 'Build',
    key: 'b',
    words: 'plans pools prices included',
    load: () => import('./pages/bundles/bundles.tsx'),
  },
  {
    path: '/providers',
    formRole: 'admin',
    isOfOrganization: true,
    title: 'Providers',
    group: 'Build',
    key: 'p',
    words: 'accounts credentials openai anthropic google',
    load: () => import('./pages/providers/providers.tsx'),
  },
  {
    path: '/playground',
    title: 'Playground',
    group: 'Build',
    words: 'try call test',
    load: () => import('./pages/playground/playground.tsx'),
  },
  {
    path: '/apps',
    formRole: 'admin',
    isOfOrganization: true,
    hasRealTime: true,
    title: 'Applications',
    group: 'Build',
    key: 'a',
    words: 'apps products gateway hostname',
    load: () => import('./pages/apps/apps.tsx'),
  },
  {
    path: '/brand',
    title: 'Brand and portal',
    group: 'Build',
    words: 'logo color colour portal settings',
    load: () => import('./pages/brand/brand.tsx'),
  },
  {
    path: '/team',
    formRole: 'admin',
    isOfOrganization: true,
    hasRealTime: true,
    title: 'Team',
    group: 'Admin',
    key: 't',
    words: 'members invite roles sessions devices',
    load: () => import('./pages/team/team.tsx'),
  },
  {
    path: '/tokens',
    isOfOrganization: true,
    hasRealTime: true,
    title: 'Tokens',
    group: 'Admin',
    words: 'sk_ management',
    load: () => import('./pages/tokens/tokens.tsx'),
  },
  {
    path: '/audit',
    isOfOrganization: true,
    hasRange: true,
    hasRealTime: true,
    title: 'Audit',
    group: 'Admin',
    words: 'log changes who',
    load: () => import('./pages/audit/audit.tsx'),
  },
  {
    path: '/bill',
    isOfOrganization: true,
    hasRealTime: true,
    title: 'Bill',
    group: 'Admin',
    words: 'tier payment organization',
    load: () => import('./pages/bill/bill.tsx'),
  },
  {
    path: '/settings',
    isOfOrganization: true,
    title: 'Settings',
    group: 'Admin',
    words: 'gateway limits password test clock theme',
    load: () => import('./pages/settings/settings.tsx'),
  },
  {
    path: '/doctor',
    title: 'Doctor',
    group: 'Admin',
    key: 'd',
    words: 'problems checks health diagnose',
    load: () => import('./pages/doctor/doctor.tsx'),
  },
  {
    path: '/onboarding',
    isOfOrganization: true,
    title: 'Getting started',
    group: null,
    words: 'onboarding first call checklist',
    load: () => import('./pages/onboarding/onboarding.tsx'),
  },
  {
    path: '/workbench',
    isOfOrganization: true,
    title: 'Workbench',
    group: 'Admin',
    key: 'w',
    words: 'api explorer operations raw',
    load: () => import('./pages/workbench/workbench.tsx'),
  },
]

export const barePages: readonly (Omit<Page, 'group'> & {
  readonly isBehindSignIn: boolean
})[] = [
  {
    path: '/sign-in',
    title: 'Sign in',
    isBehindSignIn: false,
    load: () => import('./pages/sign-in/sign-in.tsx'),
  },
  {
    path: '/setup',
    title: 'Set up',
    isBehindSignIn: false,
    load: () => import('./pages/sign-in/first-owner-setup-page.tsx'),
  },
  {
    path: '/invite',
    title: 'Join',
    isBehindSignIn: false,
    load: () => import('./pages/sign-in/accept-invitation-page.tsx'),
  },
  {
    path: '/device',
    title: 'Approve a device',
    isBehindSignIn: true,
    load: () => import('./pages/sign-in/approve-device-page.tsx'),
  },
]
