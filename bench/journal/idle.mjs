import '../support/probe.mjs';

/** A process that does nothing, and can be asked how long it stood still. */
setInterval(() => {}, 1000);
process.channel?.ref();
