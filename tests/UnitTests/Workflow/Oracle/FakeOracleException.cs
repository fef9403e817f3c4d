using System.Data.Common;

namespace UnitTests.Workflow.Oracle;

internal sealed class FakeOracleException(string message) : DbException(message);
