import { type RouterFault, routerLimits } from './validate-routers.ts'

export function routerFaultSentence(fault: RouterFault): string {
  const { depthMax, targetsMax } = routerLimits
  switch (fault.kind) {
    case 'cycle':
      return `The targets form a cycle: ${fault.path.join(' -> ')}. Remove one of these targets.`
    case 'too_deep':
      return `The targets form a chain of ${fault.path.length} routers, and the maximum is ${depthMax}: ${fault.path.join(' -> ')}.`
    case 'too_many_targets':
      return `The router ${fault.router} resolves to ${fault.targets} accounts with a model, and the maximum is ${targetsMax}.`
    case 'unknown_target':
      return `The router ${fault.router} has the target ${fault.target}, which does not exist. Remove this target.`
    default:
      return fault satisfies never
  }
}
