namespace Workflow.WebService.Responses;

/// <summary>A client of an event stream takes nothing any more.</summary>
internal sealed class StalledReaderException() : Exception("The client of the event stream took nothing for too long.");
