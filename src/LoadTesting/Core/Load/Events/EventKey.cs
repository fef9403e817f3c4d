namespace LoadTesting.Core.Load.Events;

internal readonly record struct EventKey(string Type, string Id);
