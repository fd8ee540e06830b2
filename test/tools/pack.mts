/** Packs the package as the tests of a real n8n install it, which takes it from here: they begin sooner. */
import { packTarball } from '../harness/package.mts';

console.log(await packTarball());
