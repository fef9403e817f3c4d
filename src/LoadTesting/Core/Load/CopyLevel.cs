namespace LoadTesting.Core.Load;

/// <summary>From <paramref name="Offset"/> on, in Stopwatch ticks after the start of the simulation, that many copies run.</summary>
internal readonly record struct CopyLevel(long Offset, int Copies);
