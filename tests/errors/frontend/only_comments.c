/* Nothing but words,
   and no code at all. */
// really
