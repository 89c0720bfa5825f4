import assert from 'node:assert/strict'

const table = {
  auth: {
    about: 'The credential of the request.',
    reads: ['team', 'tokens', 'sessions'],
  },
  customer: {
    about: 'The organization and applications of the credential.',
    reads: ['apps', 'team', 'bill', 'tokens'],
  },
  bill: {
    about: "The organization's own plan with the operator of this server, and its bill.",
    reads: ['team', 'requests'],
  },
  onboarding: {
    about: 'Setup progress, up to the first settled request.',
    reads: ['apps', 'providers', 'models', 'routers', 'bundles', 'users', 'keys', 'grants', 'requests'],
  },
  sessions: {
    about: 'Sign-ins of team members.',
    reads: ['team', 'invitations', 'auth'],
  },
  passkeys: {
    about: 'Passkeys that members sign in with.',
    reads: ['team', 'sessions'],
  },
  invitations: {
    about: 'Links that invite people to a team.',
    reads: ['team'],
  },
  deviceAuth: {
    about: 'Sign-ins from the command line (RFC 8628).',
    reads: [],
  },
  team: {
    about: 'Members of the organization and their roles.',
    reads: ['sessions', 'passkeys', 'invitations'],
  },
  tokens: {
    about: "The organization's `sk_` tokens.",
    reads: ['team', 'deviceAuth'],
  },
  limits: {
    about: 'Daily limits that the organization sets for itself.',
    reads: ['requests'],
  },
  apps: {
    about: 'Applications: products that have their own end users, keys, bundles and model names.',
    reads: [
      'providers',
      'models',
      'routers',
      'bundles',
      'users',
      'keys',
      'outcomes',
      'gateway',
      'tags',
      'brand',
    ],
  },
  gateway: {
    about: "Settings of an application's gateway.",
    reads: ['tags', 'requests'],
  },
  tags: {
    about: 'Labels for requests. Each tag can have limits, and reports can be grouped by tag.',
    reads: ['requests'],
  },
  providers: {
    about: 'Accounts at model providers, and their prices.',
    reads: ['models'],
  },
  catalog: {
    about: 'Providers and models with published prices.',
    reads: ['providers'],
  },
  models: {
    about: 'Model names that end users request.',
    reads: ['providers', 'routers', 'bundles'],
  },
  routers: {
    about: 'Model names that route to several targets.',
    reads: ['providers', 'models', 'bundles'],
  },
  bundles: {
    about: 'Plans, with their models, prices, limits and credit.',
    reads: ['providers', 'models', 'routers', 'users'],
  },
  users: {
    about: 'End users and their balances.',
    reads: ['bundles', 'keys', 'grants', 'subscription', 'invoices', 'requests'],
  },
  subscription: {
    about: "An end user's plan, pools and on-demand billing.",
    reads: ['users', 'bundles', 'invoices', 'requests'],
  },
  invoices: {
    about: 'Invoices for plans and on-demand usage.',
    reads: ['users', 'subscription'],
  },
  testClock: {
    about: 'The clock of test mode.',
    reads: [],
  },
  keys: {
    about: '`ak_` keys that authenticate end users at the gateway.',
    reads: ['users'],
  },
  teams: {
    about: 'End users who share the wallet of one end user.',
    reads: ['users', 'grants', 'requests'],
  },
  grants: {
    about: 'Credit granted to end users.',
    reads: ['users', 'requests'],
  },
  usage: {
    about: 'Usage by model name and over time.',
    reads: ['requests'],
  },
  outcomes: {
    about: 'Goals that end users reach in runs of several requests, with a spend ceiling for each run.',
    reads: ['requests'],
  },
  requests: {
    about: 'Requests to the gateway, with the calculation of their cost.',
    reads: ['emitters'],
  },
  emitters: {
    about: 'Destinations that receive an event for each settled request.',
    reads: [],
  },
  margin: {
    about: 'Revenue, cost and margin.',
    reads: ['providers', 'bundles', 'subscription', 'invoices', 'requests'],
  },
  health: {
    about: 'Latency and failures.',
    reads: ['providers', 'models', 'routers', 'emitters', 'requests'],
  },
  brand: {
    about: "The appearance of an application's portal.",
    reads: ['apps'],
  },
  portal: {
    about: 'The account that an end user sees in the portal, and links that open the portal.',
    reads: [
      'apps',
      'brand',
      'models',
      'routers',
      'bundles',
      'users',
      'keys',
      'grants',
      'subscription',
      'invoices',
      'requests',
    ],
  },
  doctor: {
    about: 'Problems in the setup, and the operations that fix them.',
    reads: [
      'apps',
      'gateway',
      'limits',
      'providers',
      'models',
      'routers',
      'bundles',
      'users',
      'keys',
      'grants',
      'emitters',
      'brand',
      'portal',
      'requests',
    ],
  },
  audit: {
    about: 'Changes made through the control plane, with the caller of each change.',
    reads: [],
  },
} as const

export type Noun = keyof typeof table

interface NounFacts {
  readonly about: string
  readonly reads: readonly Noun[]
}

export const nouns: Readonly<Record<Noun, NounFacts>> = table

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
const all = Object.keys(nouns) as Noun[]

/**
 * The part of the operation's ID before the verb, which is also the operation's folder and tag.
 * @throws if the table has no such noun
 */
export function nounOf({ id }: { readonly id: string }): Noun {
  const noun = all.find((one) => one === id.split('.')[0])
  assert(noun, `src/operations/kernel/list-of-nouns.ts lacks the noun of ${id}`)
  return noun
}

/** Always includes the audit log, to which each change adds a row. */
export function staleAfter(changed: readonly Noun[]): readonly Noun[] {
  const isChanged = (noun: Noun): boolean => changed.includes(noun)
  return changed.length === 0
    ? []
    : all.filter((noun) => isChanged(noun) || nouns[noun].reads.some(isChanged) || noun === 'audit')
}
