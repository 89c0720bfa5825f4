import { testClientsOf } from './cases.ts'

testClientsOf('responses')
