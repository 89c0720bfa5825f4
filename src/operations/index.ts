import type { Operation } from './kernel/operation.ts'
import * as table from './table.ts'

/** The nouns of operations in documentation order: identity, setup, users, results. */
export const nouns: Readonly<Record<string, string>> = {
  auth: 'The credential of the request.',
  customer: 'The organization and applications of the credential.',
  bill: "The organization's own plan with the operator of this server, and its bill.",
  onboarding: 'Setup progress, up to the first settled request.',
  sessions: 'Sign-ins of team members.',
  passkeys: 'Passkeys that members sign in with.',
  invitations: 'Links that invite people to a team.',
  deviceAuth: 'Sign-ins from the command line (RFC 8628).',
  team: 'Members of the organization and their roles.',
  tokens: "The organization's `sk_` tokens.",
  limits: 'Daily limits that the organization sets for itself.',
  apps: 'Applications: products that have their own end users, keys, bundles and model names.',
  gateway: "Settings of an application's gateway.",
  providers: 'Accounts at model providers, and their prices.',
  catalog: 'Providers and models with published prices.',
  models: 'Model names that end users request.',
  routers: 'Model names that route to several targets.',
  bundles: 'Plans: which models they allow, at which prices, with which limits and credit.',
  users: 'End users and their balances.',
  subscription: "An end user's plan, pools and on-demand billing.",
  invoices: 'Invoices for plans and on-demand usage.',
  testClock: 'The clock of test mode.',
  keys: '`ak_` keys that authenticate end users at the gateway.',
  grants: 'Credit given to end users.',
  usage: 'Usage by model name and over time.',
  outcomes: 'Runs of several requests under one spend ceiling.',
  requests: 'Requests to the gateway, and how the cost of each was computed.',
  emitters: 'Destinations for settled usage.',
  margin: 'Revenue, cost and margin.',
  health: 'Latency and failures.',
  brand: "The appearance of an application's portal.",
  portal: "The end users' own view of their account, and their access to it.",
  doctor: 'Problems in the setup, and the operations that fix them.',
  audit: 'Changes, and who made them.',
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
