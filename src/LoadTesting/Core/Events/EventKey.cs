namespace LoadTesting.Core.Events;

internal readonly record struct EventKey(string Type, string Id);
