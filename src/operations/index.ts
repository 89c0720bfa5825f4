import type { Operation } from './operation.ts'
import * as table from './table.ts'

/** The nouns of operations in documentation order: identity, setup, users, results. */
export const nouns: Readonly<Record<string, string>> = {
  auth: 'Who makes a request.',
  customer: 'The organization that a request is about.',
  bill: 'What the organization pays the operator of this server.',
  onboarding: 'How far the set-up is, up to a first settled call.',
  sessions: 'People who sign in.',
  passkeys: 'Passkeys, with which members sign in.',
  invitations: 'The links by which people join the team.',
  deviceAuth: 'Sign-ins of command lines (RFC 8628).',
  team: 'The people of the organization, and what they may do.',
  tokens: 'The `sk_` tokens of the organization.',
  limits: 'What the organization allows itself a day.',
  apps: 'Applications: products with end users, keys, bundles and model names of their own.',
  gateway: 'What the gateway of an application answers.',
  providers: 'Accounts at model providers, and what they are charged.',
  catalog: 'Providers and models whose prices are published.',
  models: 'The names of models that end users ask for.',
  routers: 'Names with several ways to answer.',
  bundles: 'What a plan allows, sells, limits and grants.',
  users: 'End users, and what moved their balance.',
  subscription: 'The plan of an end user, its pools and on-demand use.',
  invoices: 'What subscriptions cost, and whether it was paid.',
  testClock: 'The time of test mode.',
  keys: 'The `ak_` keys with which end users call the gateway.',
  grants: 'Credit given to end users.',
  usage: 'What was used, by model name.',
  outcomes: 'Runs of several calls under one spend ceiling.',
  requests: 'Calls of the gateway, and why each cost what it cost.',
  emitters: 'Where settled usage is delivered.',
  margin: 'What was earned, and what it cost.',
  health: 'Latency and failures.',
  brand: 'How the portal of an application looks.',
  portal: 'What end users see of themselves, and how they come there.',
  doctor: 'Problems, and the calls that mend them.',
  audit: 'Who changed what.',
}
const order = Object.keys(nouns)
const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']

/** The table of operations in documentation order: by noun, path and method. */
export const operations: readonly Operation[] = Object.values<Operation>(table).toSorted(
  (one, other) =>
    order.indexOf(nounOf(one)) - order.indexOf(nounOf(other)) ||
    (one.path < other.path ? -1 : Number(one.path > other.path)) ||
    methods.indexOf(one.method) - methods.indexOf(other.method),
)

/** Returns the part of an ID before its verb, which is the operation's folder and its tag. */
export function nounOf({ id }: Operation): string {
  return id.split('.')[0] ?? id
}
